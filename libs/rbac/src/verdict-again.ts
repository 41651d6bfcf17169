import type { Description } from '@gadwall/rewriters';
import { foldName } from './fold';
import type { EffectiveSet, MacroName } from './model';
import { restrictedTables } from './restrictions';
import { type Verdict, verdict } from './verdict';

/**
 * What was admitted under one set is judged by another: policies and secure views that are others now are as a refusal, for
 * what runs was governed by those of then.
 */
export function verdictAgain(was: EffectiveSet, now: EffectiveSet, description: Description): Verdict {
  const judged = verdict(now, description);
  if (!judged.allow) return judged;
  const view = description.secureViews.find((one) => standsFor(was, one) !== standsFor(now, one));
  if (view) {
    const message = `the secure view ${view.catalog}.${view.schema}.${view.name} has changed`;
    return { allow: false, rule: 'secure-view', message, objects: [], hint: null };
  }
  if (formOf(was, description) === formOf(now, description)) return judged;
  const tables = [...restrictedTables(was, description), ...restrictedTables(now, description)];
  const names = [...new Set(tables.map(({ catalog, schema, name }) => `${catalog}.${schema}.${name}`))].join(', ');
  const rule = tables.some(({ filters }) => filters !== null) ? 'row-policy' : 'column-policy';
  return { allow: false, rule, message: `the policies on ${names} have changed`, objects: [], hint: null };
}

/** Secure views may stand on secure views this deep (seed 000, "Functions, settings and statement types"). */
const MAX_DEPTH = 16;

/** All that a secure view stands for, through those in its body. */
function standsFor(set: EffectiveSet, name: MacroName, depth = 1): string {
  const key = keyOf(name);
  const view = set.secureViews.find((one) => keyOf(one) === key);
  if (!view || depth > MAX_DEPTH) return key;
  const under = view.bases.map((base) => (base.kind === 'view' ? standsFor(set, base, depth + 1) : keyOf(base)));
  return JSON.stringify([key, view.body, view.columns, under]);
}

function keyOf({ catalog, schema, name }: MacroName): string {
  return JSON.stringify([catalog, schema, name].map(foldName));
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
