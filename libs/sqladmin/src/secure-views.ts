import { DomainError, type PolicyCommand, type SecureView, secureViewNamed } from '@gadwall/rbac';
import type { Directory } from './directory';
import type { Of, ViewRef } from './statement';

/** @throws DomainError `invalid_secure_view` for one that is there already and is not to be replaced */
export function createdSecureView(
  { orReplace, view }: Of<'create-secure-view'>,
  { state }: Directory,
  newId: () => string,
  made: SecureView | null,
): PolicyCommand {
  if (!orReplace && secureViewNamed(state, view) !== undefined) {
    throw new DomainError('secure_view_exists', { name: placeOf(view) });
  }
  if (made === null) throw new DomainError('internal');
  return { type: 'create-secure-view', viewId: newId(), ...made };
}

/** Nothing to do where there is none and IF EXISTS says so. @throws DomainError `not_found` */
export function droppedSecureView({ ifExists, view }: Of<'drop-secure-view'>, { state }: Directory): PolicyCommand[] {
  const viewId = secureViewNamed(state, view)?.id;
  if (viewId !== undefined) return [{ type: 'drop-secure-view', viewId }];
  if (ifExists) return [];
  throw new DomainError('name_not_found', { kind: 'secure view', name: placeOf(view) });
}

function placeOf({ catalog, schema, name }: ViewRef): string {
  return `${catalog}.${schema}.${name}`;
}
