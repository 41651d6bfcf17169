import { foldName } from './fold';
import type { EffectiveSet, TablePermission, TableTuple } from './model';

/** A wildcard reaches the tenant's own catalogs; one that denies reaches every catalog there is. */
export function coversCatalog(
  set: Pick<EffectiveSet, 'catalogs'>,
  permission: Pick<TablePermission, 'catalog' | 'effect'>,
  catalog: string,
): boolean {
  if (permission.catalog !== '*') return foldName(permission.catalog) === foldName(catalog);
  return permission.effect === 'deny' || set.catalogs.includes(foldName(catalog));
}

/**
 * A schema-wide access has the name `*`: only a grant whose table part is `*` covers it, while every deny on a table of
 * the schema reaches it, for `DROP SCHEMA … CASCADE` takes that table along.
 */
export function part(pattern: string, name: string): boolean {
  return pattern === '*' || (name !== '*' && foldName(pattern) === foldName(name));
}

/** How many parts of a tuple are wildcards: the fewer, the more specific. */
export function wildcards({ catalog, schema, table }: TableTuple): number {
  return [catalog, schema, table].filter((name) => name === '*').length;
}

/** Whether every table of `inner` is one of `outer`, wildcards taken as everything. */
export function holds(outer: TableTuple, inner: TableTuple): boolean {
  return part(outer.catalog, inner.catalog) && part(outer.schema, inner.schema) && part(outer.table, inner.table);
}

/** The tables that are of both tuples; null when there can be none. */
export function overlap(a: TableTuple, b: TableTuple): TableTuple | null {
  const meet = (one: string, other: string): string | null => {
    if (one === '*') return other;
    return other === '*' || foldName(one) === foldName(other) ? one : null;
  };
  const catalog = meet(a.catalog, b.catalog);
  const schema = meet(a.schema, b.schema);
  const table = meet(a.table, b.table);
  return catalog === null || schema === null || table === null ? null : { catalog, schema, table };
}
