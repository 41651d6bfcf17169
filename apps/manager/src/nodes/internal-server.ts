import { PassThrough } from 'node:stream';
import { Inject, Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { SignedContent } from '@gadwall/events';
import type { FreshHandleAnswer, NodeAssignment, NodeReady, NodeRegistration } from '@gadwall/rbac';
import { RunningPrincipals } from './running-principals';
import fastify, { FastifyInstance } from 'fastify';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { domainErrorOf, errorBody } from '../errors';
import { NodeLeases } from '../leases';

/** What nodes may ask of a manager. */
export interface InternalRoutes {
  register(registration: NodeRegistration): Promise<NodeAssignment>;
  serves(message: NodeReady): void;
  leaves(nodeId: string): void;
  freshHandle(subject: SignedContent['handle']): Promise<FreshHandleAnswer>;
}

/** The routes for nodes, on a loopback port of their own: never on the public one. */
@Injectable()
export class InternalServer implements OnApplicationShutdown {
  private readonly log = new Logger('internal');
  private server: FastifyInstance | null = null;

  constructor(
    private readonly leases: NodeLeases,
    private readonly principals: RunningPrincipals,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
  ) {}

  /** Starts to listen; gives the URL that nodes are told. */
  async listen(routes: InternalRoutes): Promise<string> {
    const server = fastify({ forceCloseConnections: true });
    this.server = server;
    server.setErrorHandler((error, _, reply) => {
      const refusal = domainErrorOf(error);
      if (refusal.reason === 'internal') this.log.error({ message: 'a node got an internal error', err: error });
      return reply.code(refusal.status).send(errorBody(refusal));
    });
    server.post<{ Body: NodeRegistration }>('/internal/nodes/register', ({ body }) => routes.register(body));
    server.post<{ Body: NodeReady }>('/internal/nodes/ready', async ({ body }, reply) => {
      routes.serves(body);
      return reply.code(204).send();
    });
    server.post('/internal/nodes/leave', async ({ body }, reply) => {
      routes.leaves(this.leases.leaving(body));
      return reply.code(204).send();
    });
    server.post('/internal/nodes/handle', ({ body }) => routes.freshHandle(this.leases.asksHandle(body)));
    this.leaseRoutes(server);
    return server.listen({ host: '127.0.0.1', port: this.config.internal.port });
  }

  /** Every body is signed by the node (libs/events, `SignedContent`). */
  private leaseRoutes(server: FastifyInstance): void {
    server.post('/internal/nodes/renew', ({ body }) => this.leases.renew(body));
    server.post('/internal/nodes/ack', ({ body }, reply) => {
      this.leases.acknowledge(body);
      return reply.code(204).send();
    });
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

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
