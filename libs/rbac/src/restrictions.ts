import type { Description, ObjectAccess } from '@gadwall/rewriters';
import { foldName } from './fold';
import type { EffectiveSet } from './model';
import { policyMatches, type Restrictions, restrictionsOf } from './policies';

/** What policies ask of one base table that a statement touches. Names are in the catalog's spelling. */
export interface TableRestrictions extends Restrictions {
  catalog: string;
  schema: string;
  name: string;
  /** Folded names of the columns that policies are about which match this table by its name: it has to have them. */
  named: string[];
}

/** Whether any policy is in the set at all. */
export function hasPolicies(set: EffectiveSet): boolean {
  return set.columnPolicies.length > 0 || set.rowPolicies.length > 0;
}

/** The base tables of a description that policies of the principal are about, each once. */
export function restrictedTables(set: EffectiveSet, { objects }: Description): TableRestrictions[] {
  if (!hasPolicies(set)) return [];
  const found = new Map<string, TableRestrictions>();
  for (const object of objects) {
    const restrictions = restricted(set, object);
    if (restrictions)
      found.set(JSON.stringify([object.catalog, object.schema, object.name].map(foldName)), restrictions);
  }
  return [...found.values()];
}

/** What policies ask of one object; null: nothing. */
export function restricted(set: EffectiveSet, object: ObjectAccess): TableRestrictions | null {
  const { catalog, schema, name, kind, temporary } = object;
  if (temporary || kind !== 'table') return null;
  const { denied, masks, filters } = restrictionsOf(set, { catalog, schema, name });
  if (denied.size === 0 && masks.size === 0 && filters === null) return null;
  return { catalog, schema, name, denied, masks, filters, named: namedColumns(set, object) };
}

/** A table of the same name in another schema or catalog is another table. */
function namedColumns(set: EffectiveSet, object: ObjectAccess): string[] {
  const own = set.columnPolicies.filter((policy) => policy.table !== '*' && policyMatches(set, policy, object));
  return [...new Set(own.map(({ column }) => foldName(column)))];
}
