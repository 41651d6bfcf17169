export { openJoin, type ManagerJoin } from './join/manager-join';
export type { JoinAnswer, JoinRequest, NodeOffer } from './join/messages';
export { beginJoin } from './join/node-join';
export { linkUrl } from './link-url';
export { isLoopback } from './loopback';
export { type Certificate, fingerprintOf, makeCertificate, tlsServer } from './tls/certificate';
export { connectorTo } from './tls/peer';
export { type GivenTls, PemError, type PemPaths, readPemFiles } from './tls/pem-files';
export { isUnprotected, TLS_MODES, type TlsMode, usesTls } from './tls/tls-mode';
