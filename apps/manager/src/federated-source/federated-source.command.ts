import { isAbsolute, resolve } from 'node:path';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError, type SourceType } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { type Mutated, Mutations, TenantCommand } from '../mutation';

/** A source to be declared. */
export interface SourcePlan {
  database: string;
  alias: string;
  sourceType: SourceType;
  path: string;
  description: string | null;
}

/** Declares a federated source of a database. */
export class CreateSource extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly plan: SourcePlan,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(CreateSource)
export class CreateSourceHandler implements ICommandHandler<CreateSource> {
  constructor(
    private readonly mutations: Mutations,
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
  ) {}

  execute({ caller, tenant, plan }: CreateSource): Promise<Mutated<void>> {
    const path = this.pathOf(caller, plan);
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'create-source', sourceId: uuidv7(), ...plan, path },
      effects: async (db) => {
        // Its own node has the file to itself.
        const { rowCount } = await db.query('SELECT 1 FROM tenant_db WHERE data_path = $1', [path]);
        if (rowCount !== 0) throw new DomainError('path_in_use');
      },
    });
  }

  /** Only a superuser hears of paths and settings. */
  private pathOf({ principal }: Caller, { sourceType, path }: SourcePlan): string {
    if (!principal.superuser) return path;
    if (!isAbsolute(path)) {
      throw new DomainError('invalid_source', { detail: 'config must be { "path": an absolute path of a file }' });
    }
    if (sourceType === 'sqlite' && !this.config.nodes.sqliteExtension) {
      throw new DomainError('invalid_source', {
        detail: 'sqlite needs an extension of DuckDB: GADWALL_NODE_SQLITE_EXTENSION must name its file',
      });
    }
    return resolve(path);
  }
}

/** Takes a source off its database. */
export class DeleteSource extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly database: string,
    readonly alias: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(DeleteSource)
export class DeleteSourceHandler implements ICommandHandler<DeleteSource> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, database, alias }: DeleteSource): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, { command: { type: 'delete-source', database, alias } });
  }
}
