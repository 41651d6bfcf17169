import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { isLoopback } from '../loopback';

/** Who must be at the other end. */
export interface Peer {
  /** Where it listens. */
  url: string;
  /** Of its certificate, when that is of its own making (see `fingerprintOf`); null = verified in the ordinary way. */
  fingerprint: string | null;
  /** PEM of the authorities that a given certificate must come from; null = those that Node.js trusts. */
  ca: string | null;
}

/** What is at the other end is not who it should be. */
class PeerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PeerError';
  }
}

const TLS = {
  minVersion: 'TLSv1.2',
  // A session that is taken up again skips looking at the certificate.
  maxCachedSessions: 0,
} as const;

/**
 * How undici connects to a peer: the connector for its `connect` option, undefined = as it does by itself. No byte is sent
 * on a connection before its certificate was looked at.
 *
 * @throws PeerError for a URL without TLS that leaves this machine, or where a certificate was promised
 */
export function connectorTo({ url, fingerprint, ca }: Peer): buildConnector.connector | undefined {
  const { protocol, hostname, origin } = new URL(url);
  if (protocol === 'https:') {
    return fingerprint === null
      ? buildConnector({ ...TLS, rejectUnauthorized: true, ...(ca === null ? {} : { ca }) })
      : pinned(fingerprint, origin);
  }
  if (fingerprint !== null) throw new PeerError(`${origin} promised a certificate, and speaks no TLS`);
  if (!isLoopback(hostname)) throw new PeerError(`${origin} is not on this machine, and speaks no TLS`);
  return undefined;
}

/** The handshake proves that the peer has the certificate's key; which certificate it must be is decided here. */
function pinned(fingerprint: string, origin: string): buildConnector.connector {
  const connect = buildConnector({ ...TLS, rejectUnauthorized: false });
  return (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error) return callback(error, null);
      if (socket instanceof TLSSocket && socket.getPeerCertificate().fingerprint256 === fingerprint) {
        return callback(null, socket);
      }
      socket.destroy();
      return callback(new PeerError(`the certificate at ${origin} is not the one that was promised`), null);
    });
}
