import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Inject, Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { SignedContent } from '@gadwall/events';
import { fingerprintOf, type JoinAnswer, linkUrl, makeCertificate, mayScrape, tlsServer, usesTls } from '@gadwall/link';
import type { FreshHandleAnswer, NodeReady } from '@gadwall/rbac';
import fastify, { type FastifyInstance } from 'fastify';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { domainErrorOf, errorBody } from '../errors';
import { NodeLeases } from '../leases';
import { ManagerMetrics } from '../metrics';
import { RunningPrincipals } from './running-principals';

/** What nodes may ask of a manager. */
export interface InternalRoutes {
  register(request: unknown): Promise<JoinAnswer>;
  serves(message: NodeReady): void;
  leaves(nodeId: string): void;
  freshHandle(subject: SignedContent['handle']): Promise<FreshHandleAnswer>;
}

/** The routes for nodes, on a port of their own: never on the public one. */
@Injectable()
export class InternalServer implements OnApplicationShutdown {
  private readonly log = new Logger('internal');
  private server: FastifyInstance | null = null;
  private made: string | null = null;

  constructor(
    private readonly leases: NodeLeases,
    private readonly principals: RunningPrincipals,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
    private readonly metrics: ManagerMetrics,
  ) {}

  /** Of the certificate that nodes are shown, when it is of this manager's own making. */
  get fingerprint(): string | null {
    return this.made;
  }

  /** Starts to listen; gives the URL that nodes are told. */
  async listen(routes: InternalRoutes): Promise<string> {
    const { host, port, tls, given } = this.config.internal;
    const secure = usesTls(tls, host, given.certificate !== null);
    const server = secure ? await this.withTls() : fastify({ forceCloseConnections: true });
    this.server = server;
    server.setErrorHandler((error, _, reply) => {
      const refusal = domainErrorOf(error);
      if (refusal.reason === 'internal') this.log.error({ message: 'a node got an internal error', err: error });
      return reply.code(refusal.status).send(errorBody(refusal));
    });
    // What a node sends proves the join token (libs/link, `JoinRequest`).
    server.post('/internal/nodes/register', ({ body }) => routes.register(body));
    this.signedRoutes(server, routes);
    this.metricsRoute(server);
    await server.listen({ host, port });
    return linkUrl(secure, host, (server.server.address() as AddressInfo).port);
  }

  private async withTls(): Promise<FastifyInstance> {
    const { given } = this.config.internal;
    const certificate = given.certificate ?? (await makeCertificate());
    this.made = given.certificate ? null : fingerprintOf(certificate.cert);
    return fastify({ forceCloseConnections: true, https: tlsServer(certificate) });
  }

  /** Every body is signed by the node (libs/events, `SignedContent`). */
  private signedRoutes(server: FastifyInstance, routes: InternalRoutes): void {
    server.post('/internal/nodes/ready', ({ body }, reply) => {
      routes.serves(this.leases.ready(body));
      return reply.code(204).send();
    });
    server.post('/internal/nodes/renew', ({ body }) => this.leases.renew(body));
    server.post('/internal/nodes/ack', ({ body }, reply) => {
      this.leases.acknowledge(body);
      return reply.code(204).send();
    });
    server.post('/internal/nodes/leave', ({ body }, reply) => {
      routes.leaves(this.leases.leaving(body));
      return reply.code(204).send();
    });
    server.post('/internal/nodes/handle', ({ body }) => routes.freshHandle(this.leases.asksHandle(body)));
    server.post('/internal/nodes/principals', ({ body }) => this.principals.judge(body));
    server.post('/internal/nodes/follow', async ({ body }, reply) => {
      const lines = new PassThrough();
      const stop = await this.leases.follow(body, lines);
      reply.raw.once('close', () => {
        stop();
        lines.destroy();
      });
      return reply.header('content-type', 'application/x-ndjson').send(lines);
    });
  }

  private metricsRoute(server: FastifyInstance): void {
    server.get('/metrics', async ({ ip, headers }, reply) => {
      if (!mayScrape(ip, headers.authorization, this.config.internal.metricsToken)) return reply.code(401).send();
      return reply.type(this.metrics.contentType).send(await this.metrics.text());
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
