import type { Actor, MacroCommand } from '../commands';
import { DomainError } from '../errors';
import type { PolicyEvent } from '../events';
import { foldName } from '../fold';
import type { MacroName } from '../model';
import type { AdmittedMacro, TenantState } from '../state';
import { isName, sameName } from './names';

/**
 * The macros of a tenant's databases that its users may call. Superusers alone decide that, for they alone make macros;
 * admitting what is admitted changes nothing. Source: seed 000, "Functions, settings and statement types".
 */
export function decideMacro(command: MacroCommand, state: TenantState, { superuser }: Actor): PolicyEvent[] {
  if (!superuser) throw new DomainError('superuser_required', { what: 'admitting and withdrawing macros' });
  switch (command.type) {
    case 'admit-macro': {
      const { macroId, catalog, schema, name } = command;
      if (![catalog, schema, name].every((part) => isName(part) && part !== '*')) {
        throw new DomainError('invalid_macro', { detail: 'catalog, schema and name must be plain names' });
      }
      if (!state.databases.some((database) => sameName(database.defaultDatabase, catalog))) {
        throw new DomainError('invalid_macro', { detail: `no database of the tenant has the catalog ${catalog}` });
      }
      if (admittedMacro(state, command) !== undefined) return [];
      return [{ type: 'macro.admitted', data: { macroId, catalog, schema, name } }];
    }
    case 'withdraw-macro':
      if (!state.macros.some((row) => row.id === command.macroId)) throw new DomainError('not_found');
      return [{ type: 'macro.withdrawn', data: { macroId: command.macroId } }];
  }
}

/** What is admitted under that name, whatever its case; undefined if nothing is. */
export function admittedMacro(state: TenantState, asked: MacroName): AdmittedMacro | undefined {
  const key = ({ catalog, schema, name }: MacroName): string =>
    JSON.stringify([catalog, schema, name].map((part) => foldName(part)));
  return state.macros.find((row) => key(row) === key(asked));
}

/** The withdrawals of all macros of a catalog that is given up: one that comes under its name holds other macros. */
export function withdrawalsOf(state: TenantState, catalog: string): PolicyEvent[] {
  return state.macros
    .filter((row) => sameName(row.catalog, catalog))
    .map(({ id }) => ({ type: 'macro.withdrawn', data: { macroId: id } }));
}
