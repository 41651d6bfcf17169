import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type DatabaseKind, DomainError, foldName } from '@gadwall/rbac';
import { isAbsolute, join, resolve } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { type Mutated, Mutations, TenantCommand } from '../mutation';
import { hasSetup, type Setup, storeSetup } from './setup';

/** A database to be made. */
export interface DatabasePlan {
  name: string;
  kind: DatabaseKind;
  defaultDatabase: string | null;
  defaultSchema: string | null;
  /** null = one of our making. */
  dataPath: string | null;
  readOnly: boolean;
  setup: Setup;
}

/** Paths and scripts reach beyond the tenant: superusers only (reference/api.md, "Databases and pools"). */
function requireSuperuser(caller: Caller, plan: { dataPath?: string | null; setup: Setup }): void {
  if (caller.principal.superuser) return;
  const { initSql, metastore, objectStore } = plan.setup;
  const given = { dataPath: plan.dataPath ?? null, initSql, metastore, objectStore };
  const [what] = Object.entries(given).find(([, value]) => value !== null) ?? [];
  if (what !== undefined) throw new DomainError('superuser_required', { what });
}

/** Makes a database. */
export class CreateDatabase extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly plan: DatabasePlan,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(CreateDatabase)
export class CreateDatabaseHandler implements ICommandHandler<CreateDatabase> {
  constructor(
    private readonly mutations: Mutations,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
  ) {}

  async execute({ caller, tenant, plan }: CreateDatabase): Promise<Mutated<void>> {
    requireSuperuser(caller, plan);
    const databaseId = uuidv7();
    const { name, kind, defaultDatabase, defaultSchema, readOnly, setup } = plan;
    const dataPath = this.dataPath(tenant, databaseId, plan);
    return this.mutations.inTenant(caller, tenant, {
      command: {
        type: 'create-database',
        databaseId,
        name,
        kind,
        defaultDatabase,
        defaultSchema,
        dataPath,
        readOnly,
        setup: hasSetup(setup),
      },
      effects: async (db) => {
        if (hasSetup(setup)) await storeSetup(db, databaseId, 1, setup);
      },
    });
  }

  /** Where the data lies: as given, made absolute, or under the tenant's folder by the id, which no name can leave. */
  private dataPath(tenant: string, databaseId: string, { kind, dataPath }: DatabasePlan): string | null {
    if (dataPath !== null)
      return isAbsolute(dataPath) || dataPath.includes('://')
        ? resolved(dataPath)
        : resolve(this.config.dataDir, dataPath);
    if (kind !== 'duckdb-file') return null;
    return join(this.config.dataDir, 'databases', tenant, `${databaseId}.duckdb`);
  }
}

/** One spelling for one place, so that two databases cannot share it. */
const resolved = (path: string): string => (path.includes('://') ? path.replace(/\/+$/, '') : resolve(path));

/** What of a database is to change. */
export interface DatabaseChange {
  name: string;
  defaultDatabase: string | null;
  defaultSchema: string | null;
  setup: Setup;
}

/** Changes a database's defaults or setup. */
export class UpdateDatabase extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly change: DatabaseChange,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(UpdateDatabase)
export class UpdateDatabaseHandler implements ICommandHandler<UpdateDatabase> {
  constructor(private readonly mutations: Mutations) {}

  async execute({ caller, tenant, change }: UpdateDatabase): Promise<Mutated<void>> {
    requireSuperuser(caller, change);
    const { setup, ...asked } = change;
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'update-database', ...asked, setup: hasSetup(setup) },
      effects: async (db, { after }) => {
        const database = after.databases.find((row) => foldName(row.name) === foldName(change.name));
        if (!hasSetup(setup) || database === undefined || database.setupVersion === null) return;
        await storeSetup(db, database.id, database.setupVersion, setup);
      },
    });
  }
}

/** Deletes a database that has no pools; its data stays where it is. */
export class DeleteDatabase extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly name: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(DeleteDatabase)
export class DeleteDatabaseHandler implements ICommandHandler<DeleteDatabase> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, name }: DeleteDatabase): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'delete-database', name },
      effects: async (db, { events }) => {
        for (const event of events) {
          if (event.type === 'database.deleted') {
            await db.query('DELETE FROM node_setup WHERE owner = $1', [event.data.databaseId]);
          }
        }
      },
    });
  }
}
