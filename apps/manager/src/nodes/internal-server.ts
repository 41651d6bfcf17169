import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { NodeAssignment, NodeReady, NodeRegistration } from '@gadwall/rbac';
import fastify, { FastifyInstance } from 'fastify';
import { domainErrorOf, errorBody } from '../errors';

/** What nodes may ask of a manager. */
export interface InternalRoutes {
  register(registration: NodeRegistration): Promise<NodeAssignment>;
  serves(message: NodeReady): void;
}

/** The routes for nodes, on a loopback port of their own: never on the public one. */
@Injectable()
export class InternalServer implements OnApplicationShutdown {
  private readonly log = new Logger('internal');
  private server: FastifyInstance | null = null;

  /** Starts to listen; gives the URL that nodes are told. */
  async listen(routes: InternalRoutes): Promise<string> {
    const server = fastify();
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
    return server.listen({ host: '127.0.0.1', port: 0 });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
