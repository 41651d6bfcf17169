import type { ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fingerprintOf, linkUrl, makeCertificate, tlsServer } from '@gadwall/link';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { NodeConfig } from '../config';

/** What this node shows to who connects. */
export interface NodeDoor {
  /** null = no TLS. */
  tls: ServerOptions | null;
  /** Of the certificate, when it is of the node's own making. */
  fingerprint: string | null;
}

/** The certificate that was given, or one that is made now; none where no TLS is spoken. */
export async function nodeDoor({ tls, given }: NodeConfig['link']): Promise<NodeDoor> {
  if (!tls) return { tls: null, fingerprint: null };
  if (given.certificate) return { tls: tlsServer(given.certificate), fingerprint: null };
  const made = await makeCertificate();
  return { tls: tlsServer(made), fingerprint: fingerprintOf(made.cert) };
}

/** Listens; gives the URL at which managers reach this node. */
export async function listen(app: NestFastifyApplication, { link, port }: NodeConfig): Promise<string> {
  await app.listen(port, link.host);
  const address = app.getHttpServer().address() as AddressInfo;
  return link.advertisedUrl ?? linkUrl(link.tls, link.host, address.port);
}
