import { DynamicModule, Inject, Module, OnApplicationShutdown } from '@nestjs/common';
import { Admission } from './admission';
import { Engine } from './engine';
import { HealthController } from './health';
import { LeaseAgent, LeaseKeeper } from './lease';
import { StatementPipeline } from './pipeline';
import { SessionStore } from './session';
import { RunningStatements, StatementController, StatementService } from './statement';

/** What a node is made of, once it knows what it serves. */
export interface NodeParts {
  admission: Admission;
  agent: LeaseAgent;
  engine: Engine;
  lease: LeaseKeeper;
  pipeline: StatementPipeline;
  running: RunningStatements;
  sessions: SessionStore;
}

const PARTS = Symbol('parts');

@Module({})
export class NodeModule implements OnApplicationShutdown {
  constructor(@Inject(PARTS) private readonly parts: NodeParts) {}

  static with(parts: NodeParts): DynamicModule {
    const { admission, lease, pipeline, running, sessions } = parts;
    return {
      module: NodeModule,
      controllers: [HealthController, StatementController],
      providers: [
        { provide: PARTS, useValue: parts },
        { provide: Admission, useValue: admission },
        { provide: LeaseKeeper, useValue: lease },
        { provide: SessionStore, useValue: sessions },
        { provide: StatementService, useValue: new StatementService(admission, pipeline, sessions, running) },
      ],
    };
  }

  /** Sessions first: an engine with open connections does not close. */
  async onApplicationShutdown(): Promise<void> {
    await this.parts.agent.stop();
    this.parts.sessions.closeAll();
    await this.parts.pipeline.close();
    this.parts.engine.close();
  }
}
