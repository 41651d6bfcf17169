import type { Actor, SourceCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import type { Database, FederatedSource, TenantState } from '../state';
import { databaseOf, ENGINE_CATALOGS } from './database';
import { isName, sameName } from './names';

/** In-memory catalogs of a node, and schemas that every catalog has: as an alias they would be ambiguous. */
const RESERVED = [...ENGINE_CATALOGS, 'memory', 'main', 'information_schema', 'pg_catalog'];

/**
 * The federated sources of a database: catalogs of another origin, which its nodes attach read-only when they start. So they
 * change only while none is in service: what a node has attached is what was declared.
 */
export function decideSource(command: SourceCommand, state: TenantState, { superuser }: Actor): PolicyEvent[] {
  if (!superuser) throw new DomainError('superuser_required', { what: 'declaring federated sources' });
  const database = databaseOf(state, command.database);
  switch (command.type) {
    case 'create-source': {
      const { sourceId, alias, sourceType, path, description } = command;
      if (!isName(alias) || alias === '*' || RESERVED.some((name) => sameName(name, alias))) {
        throw new DomainError('invalid_source', {
          detail: `alias must be a plain name, none of ${RESERVED.join(', ')}`,
        });
      }
      refuseTaken(state, database, alias);
      refuseInService(state, database);
      const data = { sourceId, databaseId: database.id, alias, sourceType, path, description };
      return [{ type: 'federated-source.created', data }];
    }
    case 'delete-source': {
      const { id } = sourceOf(state, database, command.alias);
      refuseInService(state, database);
      return [{ type: 'federated-source.deleted', data: { sourceId: id } }];
    }
  }
}

function sourceOf(state: TenantState, { id }: Database, alias: string): FederatedSource {
  const found = state.sources.find((source) => source.databaseId === id && sameName(source.alias, alias));
  if (found === undefined) throw new DomainError('not_found');
  return found;
}

/** A grant names a catalog, so an alias is no catalog of the tenant's own, which its wildcards reach. */
function refuseTaken(state: TenantState, database: Database, alias: string): void {
  const own = state.databases.some(({ defaultDatabase }) => sameName(defaultDatabase, alias));
  const declared = state.sources.some((row) => row.databaseId === database.id && sameName(row.alias, alias));
  if (own || declared) throw new DomainError('source_exists', { name: alias });
}

function refuseInService(state: TenantState, { id, name }: Database): void {
  const served = state.pools.some(({ databaseId, stopped, size }) => databaseId === id && !stopped && size > 0);
  if (served) throw new DomainError('source_in_service', { name });
}
