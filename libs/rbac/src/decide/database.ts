import type { DatabaseCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import type { Database, TenantState } from '../state';
import { withdrawalsOf } from './macro';
import { isName, sameName } from './names';
import { secureViewsGone } from './secure-view';

/** Catalogs that every engine has: another one under one of these names could not be told from them. */
export const ENGINE_CATALOGS = ['system', 'temp'];

/** The database of that name, or 404. */
export function databaseOf(state: TenantState, name: string): Database {
  const database = state.databases.find((candidate) => sameName(candidate.name, name));
  if (database === undefined) throw new DomainError('not_found');
  return database;
}

/** A tenant's databases. Source: reference/api.md, "Databases and pools". */
export function decideDatabase(command: DatabaseCommand, state: TenantState): PolicyEvent[] {
  switch (command.type) {
    case 'create-database': {
      const { databaseId, name, kind, dataPath, readOnly } = command;
      const defaultDatabase = command.defaultDatabase ?? name;
      const defaultSchema = command.defaultSchema ?? 'main';
      refuseBadNames([name, defaultDatabase, defaultSchema], defaultDatabase);
      if (readOnly && kind !== 'memory') {
        throw new DomainError('invalid_database', { detail: 'readOnly is for databases of kind memory' });
      }
      refuseTaken(state, name, defaultDatabase, null);
      const setupVersion = command.setup ? 1 : null;
      const data = { databaseId, name, kind, defaultDatabase, defaultSchema, dataPath, readOnly, setupVersion };
      return [{ type: 'database.created', data }];
    }
    case 'update-database': {
      const database = databaseOf(state, command.name);
      const defaultDatabase = command.defaultDatabase ?? database.defaultDatabase;
      const defaultSchema = command.defaultSchema ?? database.defaultSchema;
      refuseBadNames([defaultDatabase, defaultSchema], defaultDatabase);
      refuseTaken(state, null, defaultDatabase, database.id);
      const setupVersion = command.setup ? (database.setupVersion ?? 0) + 1 : database.setupVersion;
      const data = { databaseId: database.id, defaultDatabase, defaultSchema, setupVersion };
      const moved = sameName(defaultDatabase, database.defaultDatabase)
        ? []
        : [...withdrawalsOf(state, database.defaultDatabase), ...secureViewsGone(state, database.defaultDatabase)];
      return [...moved, { type: 'database.updated', data }];
    }
    case 'delete-database': {
      const database = databaseOf(state, command.name);
      if (state.pools.some((pool) => pool.databaseId === database.id)) {
        throw new DomainError('has_pools', { name: `database ${database.name}` });
      }
      const withdrawn = withdrawalsOf(state, database.defaultDatabase);
      return [
        ...withdrawn,
        ...secureViewsGone(state, database.defaultDatabase),
        ...sourcesGone(state, database),
        { type: 'database.deleted', data: { databaseId: database.id } },
      ];
    }
  }
}

function sourcesGone(state: TenantState, { id }: Database): PolicyEvent[] {
  const own = state.sources.filter(({ databaseId }) => databaseId === id);
  return own.map((source) => ({ type: 'federated-source.deleted', data: { sourceId: source.id } }));
}

function refuseBadNames(names: readonly string[], catalog: string): void {
  const bad = names.some((name) => !isName(name) || name === '*');
  if (bad || ENGINE_CATALOGS.some((name) => sameName(name, catalog))) {
    throw new DomainError('invalid_database', {
      detail: 'name, defaultDatabase and defaultSchema must be plain names',
    });
  }
}

/** A grant names a catalog, so two databases of a tenant must not answer to one. */
function refuseTaken(state: TenantState, name: string | null, catalog: string, self: string | null): void {
  const taken = state.databases.some(
    (row) => row.id !== self && (sameName(row.defaultDatabase, catalog) || (name !== null && sameName(row.name, name))),
  );
  if (taken || state.sources.some(({ alias }) => sameName(alias, catalog))) {
    throw new DomainError('database_exists', { name: name ?? catalog });
  }
}
