import type { Description } from '@gadwall/rewriters';
import type { EffectiveSet } from './model';
import { restrictedTables } from './restrictions';
import { type Verdict, verdict } from './verdict';

/**
 * What was admitted under one set is judged by another: policies that are others now are as a refusal, for what runs was
 * governed by those of then.
 */
export function verdictAgain(was: EffectiveSet, now: EffectiveSet, description: Description): Verdict {
  const judged = verdict(now, description);
  if (!judged.allow || formOf(was, description) === formOf(now, description)) return judged;
  const tables = [...restrictedTables(was, description), ...restrictedTables(now, description)];
  const names = [...new Set(tables.map(({ catalog, schema, name }) => `${catalog}.${schema}.${name}`))].join(', ');
  const rule = tables.some(({ filters }) => filters !== null) ? 'row-policy' : 'column-policy';
  return { allow: false, rule, message: `the policies on ${names} have changed`, objects: [], hint: null };
}

/** Equal forms: the policies on what a description touches show the same. */
function formOf(set: EffectiveSet, description: Description): string {
  const tables = restrictedTables(set, description).map(({ catalog, schema, name, denied, masks, filters }) => {
    const masked = [...masks].map(([column, { expression }]) => [column, expression]);
    return [catalog, schema, name, [...denied.keys()], masked, filters];
  });
  // Tokens stand for them.
  return tables.length === 0 ? '' : JSON.stringify([tables, set.roles, set.groups]);
}
