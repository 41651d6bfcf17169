import { foldName } from './fold';
import type { EffectiveSet } from './model';

export function coversTuple(
  set: EffectiveSet,
  tuple: { catalog: string; schema: string; table: string },
  object: { catalog: string; schema: string; name: string },
): boolean {
  const part = (pattern: string, name: string): boolean => pattern === '*' || foldName(pattern) === foldName(name);
  const catalog =
    tuple.catalog === '*'
      ? set.catalogs.includes(foldName(object.catalog))
      : foldName(tuple.catalog) === foldName(object.catalog);
  return catalog && part(tuple.schema, object.schema) && part(tuple.table, object.name);
}
