import { DomainError } from '../errors';
import type { TableTuple } from '../model';
import { isName, sameName } from './names';

/** The tuple of a policy is written as that of a grant. @throws DomainError `invalid_policy` */
export function checkTuple({ catalog, schema, table }: TableTuple): void {
  if ([catalog, schema, table].every(isName)) return;
  throw new DomainError('invalid_policy', { detail: 'catalog, schema and table must be names or *' });
}

export function sameTuple(a: TableTuple, b: TableTuple): boolean {
  return sameName(a.catalog, b.catalog) && sameName(a.schema, b.schema) && sameName(a.table, b.table);
}
