import { type DynamicModule, Module } from '@nestjs/common';
import { NodeDirectory } from '../pool';
import type { Watchdog } from '../supervisor';
import { Assignments } from './assignments';
import { FreshHandles } from './fresh-handles';
import { InternalServer } from './internal-server';
import { Joining } from './joining';
import { NodeFleet } from './node-fleet';
import { NodeProcesses, WATCHDOG } from './node-processes';
import { NodeQuestions } from './node-questions';
import { Principals } from './principals';
import { RunningPrincipals } from './running-principals';

/** The nodes of this manager, and the way to them. */
@Module({})
export class NodesModule {
  static of(watchdog: Watchdog | null): DynamicModule {
    return {
      module: NodesModule,
      global: true,
      providers: [
        { provide: WATCHDOG, useValue: watchdog },
        Joining,
        NodeProcesses,
        InternalServer,
        Assignments,
        FreshHandles,
        Principals,
        RunningPrincipals,
        NodeFleet,
        NodeQuestions,
        { provide: NodeDirectory, useExisting: NodeFleet },
      ],
      exports: [NodeFleet, NodeDirectory, NodeQuestions],
    };
  }
}
