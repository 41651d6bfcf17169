import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { Engine, StatementPipeline } from '@gadwall/engine';
import { connectorTo } from '@gadwall/link';
import { DomainError } from '@gadwall/rbac';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { Admission, FreshHandles } from './admission';
import { join, ready } from './agent';
import { NodeModule, NodeParts } from './app.module';
import { NodeConfig } from './config';
import { listen, nodeDoor } from './door';
import { Drain } from './drain';
import { LeaseAgent, LeaseKeeper, ManagerLine } from './lease';
import { memoryCeiling, MemoryGuard } from './memory';
import { PolicyMetrics } from './metrics';
import { SessionStore } from './session';
import { NodeErrorFilter, Rejudging, RunningStatements } from './statement';

/** Bytes of a request between manager and node: a statement of the largest size, its parameters and a large set. */
const BODY_LIMIT = 64 * 1024 * 1024;

/** ms after which a statement that was stopped, and is still with the engine, ends the node. */
const STUCK_MS = 60_000;

/** ms that the manager may take to hear that the node leaves. */
const LEAVE_MS = 1000;

/**
 * Starts a node: joins its manager, opens and hardens the engine, listens, and only then says that it serves.
 */
export async function startNode(config: NodeConfig): Promise<NestFastifyApplication> {
  mkdirSync(config.tempDirectory, { recursive: true, mode: 0o700 });
  const { managerUrl, managerFingerprint, given } = config.link;
  const manager = new ManagerLine(
    managerUrl,
    connectorTo({ url: managerUrl, fingerprint: managerFingerprint, ca: given.ca }),
  );
  const door = await nodeDoor(config.link);
  const lease = new LeaseKeeper(`n_${randomUUID()}`);
  const { assignment, handleKey } = await join(manager, config.joinToken, {
    nodeId: lease.nodeId,
    publicKey: lease.publicKey,
    certificate: door.fingerprint,
  });
  const admission = new Admission(lease, handleKey);
  admission.trust(assignment.managerKeys);
  lease.trust(assignment.managerKeys, assignment.lease);
  const engine = await Engine.open({ ...assignment, ...config });
  const metrics = new PolicyMetrics();
  const pipeline = new StatementPipeline(engine, {
    ...config,
    observe: metrics.observe,
    stuck: { afterMs: STUCK_MS, tell: () => void replace() },
  });
  const running = new RunningStatements();
  new Rejudging(running, lease, admission, manager, assignment.lease.ttlMs);
  const agent = new LeaseAgent(lease, manager, assignment.lease, () => {
    process.stderr.write('gadwall node: the manager does not know this node any more\n');
    process.exit(1);
  });
  const sessions = new SessionStore(engine);
  const leave = () => manager.ask('/internal/nodes/leave', lease.ask('leave', { nodeId: lease.nodeId }), LEAVE_MS);
  const interrupt = (reason: DomainError) => running.interrupt(reason);
  const drain = new Drain({ inTransaction: () => sessions.inTransaction(), interrupt }, leave, config.drainMs);
  // What runs ends in its own time; the engine cannot be closed, and the manager starts another node.
  const replace = async () => {
    process.stderr.write('gadwall node: the engine does not let go of a statement: this node ends\n');
    await drain.run();
    process.kill(process.pid, 'SIGKILL');
  };
  const memory = new MemoryGuard(memoryCeiling(config.memoryLimit), {
    stop: () => pipeline.stopAll(new DomainError('out_of_memory')),
    end: () => {
      process.stderr.write('gadwall node: out of memory: this node ends\n');
      process.kill(process.pid, 'SIGKILL');
    },
  });
  const handles = new FreshHandles(lease, manager, admission, assignment.lease.ttlMs);
  const parts: NodeParts = {
    admission,
    agent,
    drain,
    engine,
    handles,
    lease,
    memory,
    pipeline,
    running,
    sessions,
    metrics,
    metricsToken: config.metricsToken,
  };
  const app = await NestFactory.create<NestFastifyApplication>(
    NodeModule.with(parts),
    // Closed once it is drained: what is still open then waits for no answer.
    new FastifyAdapter({
      bodyLimit: BODY_LIMIT,
      forceCloseConnections: true,
      ...(door.tls ? { https: door.tls } : {}),
    }),
    { logger: ['error', 'warn'] },
  );
  app.useGlobalFilters(new NodeErrorFilter());
  app.enableShutdownHooks();
  const url = await listen(app, config);
  await agent.start();
  await ready(manager, lease, url);
  return app;
}
