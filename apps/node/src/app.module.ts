import { BeforeApplicationShutdown, DynamicModule, Inject, Module, OnApplicationShutdown } from '@nestjs/common';
import { Engine, StatementPipeline } from '@gadwall/engine';
import { Admission, FreshHandles } from './admission';
import { Drain } from './drain';
import { EventLoop, HealthController } from './health';
import { LeaseAgent, LeaseKeeper } from './lease';
import { MemoryGuard } from './memory';
import { METRICS_TOKEN, MetricsController, PolicyMetrics } from './metrics';
import { PolicyController } from './policy';
import { SecureViewController } from './secure-view';
import { SessionStore } from './session';
import { RunningStatements, StatementController, StatementService } from './statement';

/** What a node is made of, once it knows what it serves. */
export interface NodeParts {
  admission: Admission;
  agent: LeaseAgent;
  drain: Drain;
  engine: Engine;
  handles: FreshHandles;
  lease: LeaseKeeper;
  memory: MemoryGuard;
  metrics: PolicyMetrics;
  metricsToken: string | null;
  pipeline: StatementPipeline;
  running: RunningStatements;
  sessions: SessionStore;
}

const PARTS = Symbol('parts');

@Module({})
export class NodeModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(@Inject(PARTS) private readonly parts: NodeParts) {}

  static with(parts: NodeParts): DynamicModule {
    const { admission, drain, engine, handles, lease, pipeline, running, sessions } = parts;
    return {
      module: NodeModule,
      controllers: [HealthController, MetricsController, PolicyController, SecureViewController, StatementController],
      providers: [
        { provide: PARTS, useValue: parts },
        { provide: Admission, useValue: admission },
        { provide: Drain, useValue: drain },
        { provide: Engine, useValue: engine },
        { provide: EventLoop, useFactory: () => new EventLoop() },
        { provide: LeaseKeeper, useValue: lease },
        { provide: PolicyMetrics, useValue: parts.metrics },
        { provide: METRICS_TOKEN, useValue: parts.metricsToken },
        { provide: SessionStore, useValue: sessions },
        { provide: StatementPipeline, useValue: pipeline },
        {
          provide: StatementService,
          useValue: new StatementService(admission, pipeline, sessions, running, drain, handles),
        },
      ],
    };
  }

  /** While it still listens: what is under way may need to be fetched, or committed. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.parts.drain.run();
  }

  /** Sessions first: an engine with open connections does not close. */
  async onApplicationShutdown(): Promise<void> {
    this.parts.memory.stop();
    await this.parts.agent.stop();
    this.parts.sessions.closeAll();
    await this.parts.pipeline.close();
    this.parts.engine.close();
  }
}
