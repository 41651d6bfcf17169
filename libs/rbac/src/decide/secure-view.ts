import type { Actor, SecureViewCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import { foldName } from '../fold';
import type { MacroName, SecureViewBody } from '../model';
import type { MadeSecureView, TenantState } from '../state';
import { isName, sameName } from './names';

/**
 * The secure views of a tenant. Superusers alone make them, for what one reads needs no grant but that on the view itself.
 * Source: seed 000, "Views".
 */
export function decideSecureView(command: SecureViewCommand, state: TenantState, { superuser }: Actor): PolicyEvent[] {
  if (!superuser) throw new DomainError('superuser_required', { what: 'making and dropping secure views' });
  switch (command.type) {
    case 'create-secure-view': {
      const { viewId, catalog, schema, name, body, columns, bases } = command;
      if (![catalog, schema, name].every((part) => isName(part) && part !== '*')) {
        throw new DomainError('invalid_secure_view', { detail: 'catalog, schema and name must be plain names' });
      }
      if (!state.databases.some((database) => sameName(database.defaultDatabase, catalog))) {
        throw new DomainError('invalid_secure_view', {
          detail: `no database of the tenant has the catalog ${catalog}`,
        });
      }
      const there = secureViewNamed(state, command);
      if (there === undefined) {
        return [{ type: 'secure-view.created', data: { viewId, catalog, schema, name, body, columns, bases } }];
      }
      if (formOf(there) === formOf(command)) return [];
      return [{ type: 'secure-view.changed', data: { viewId: there.id, body, columns, bases } }];
    }
    case 'drop-secure-view':
      if (!state.secureViews.some((row) => row.id === command.viewId)) throw new DomainError('not_found');
      return [{ type: 'secure-view.dropped', data: { viewId: command.viewId } }];
  }
}

/** The secure view of that name, whatever its case; undefined if there is none. */
export function secureViewNamed(state: TenantState, asked: MacroName): MadeSecureView | undefined {
  return state.secureViews.find((row) => keyOf(row) === keyOf(asked));
}

/** A catalog is given up: what comes under its name holds other tables. */
export function secureViewsGone(state: TenantState, catalog: string): PolicyEvent[] {
  return state.secureViews
    .filter((row) => sameName(row.catalog, catalog))
    .map(({ id }) => ({ type: 'secure-view.dropped', data: { viewId: id } }));
}

function keyOf({ catalog, schema, name }: MacroName): string {
  return JSON.stringify([catalog, schema, name].map((part) => foldName(part)));
}

function formOf({ body, columns, bases }: SecureViewBody): string {
  return JSON.stringify([body, columns, bases.map(({ catalog, schema, name, kind }) => [catalog, schema, name, kind])]);
}
