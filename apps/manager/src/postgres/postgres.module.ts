import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { EventCatalogue, EventStore, POLICY_PROJECTIONS, queryable, type Queryable } from '@gadwall/events';
import { POLICY_EVENTS } from '@gadwall/rbac';
import { Pool } from 'pg';

/** Injection token of the control-plane database, for reads: each query on a connection of its own. */
export const READS = Symbol('control-plane database');

/** The opened control-plane database, and how to close it when the application ends. */
export interface OpenDatabase {
  pool: Pool;
  close(): Promise<void>;
}

const OPEN_DATABASE = Symbol('open control-plane database');

/** The control-plane database and the log of events on it. */
@Module({})
export class PostgresModule implements OnApplicationShutdown {
  constructor(@Inject(OPEN_DATABASE) private readonly database: OpenDatabase) {}

  static of(database: OpenDatabase): DynamicModule {
    return {
      module: PostgresModule,
      global: true,
      providers: [
        { provide: OPEN_DATABASE, useValue: database },
        { provide: Pool, useValue: database.pool },
        { provide: READS, useValue: queryable(database.pool) satisfies Queryable },
        {
          provide: EventStore,
          useValue: new EventStore(database.pool, POLICY_PROJECTIONS, { catalogue: new EventCatalogue(POLICY_EVENTS) }),
        },
      ],
      exports: [READS, EventStore, Pool],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
