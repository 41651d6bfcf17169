import type { Access, Description, ObjectAccess, RefusalRule } from '@gadwall/rewriters';
import { foldName } from './fold';
import type { AccessClass, EffectiveSet, MacroName, TablePermission, Verb } from './model';
import { policyMatches } from './policies';
import { hasPolicies, restricted } from './restrictions';
import { coversCatalog, part } from './tuple';
import { classesOfVerb, classOfAccess } from './verb-classes';

/** An object of a refusal as the doors show it: `{catalog, schema, name, kind, access}` (reference/api.md, "Errors"). */
export interface RefusedObject {
  catalog: string;
  schema: string;
  name: string;
  kind: string;
  access: Access;
  /** The column that it is about, where it is about one. */
  column?: string;
}

export interface Refusal {
  allow: false;
  rule: RefusalRule;
  message: string;
  objects: RefusedObject[];
  /** The smallest grant that would let the statement pass; null where none would. */
  hint: string | null;
}

export type Verdict = { allow: true } | Refusal;

/**
 * Gate 2: whether the principal of `set` may run what `description` says. Pure; equal digests give equal verdicts.
 * Grants are judged before what is always refused, so that an ungranted object is named as one. Deny wins.
 */
export function verdict(set: EffectiveSet, description: Description): Verdict {
  if (set.tenant === null) return mechanism(description);
  return (
    refusedByDeny(set, description) ??
    refusedByGrants(set, description) ??
    refusedByMacro(set, description) ??
    refusedBySecureView(set, description) ??
    refusedByFinding(description) ??
    refusedByPolicy(set, description) ?? { allow: true }
  );
}

/** What binds superusers too (seed 000, "Superusers"). */
function mechanism({ findings }: Description): Verdict {
  const found = findings.find((finding) => finding.bindsSuperusers);
  return found ? { allow: false, rule: found.rule, message: found.message, objects: [], hint: null } : { allow: true };
}

function refusedByFinding({ findings }: Description): Refusal | null {
  const [found] = findings;
  return found ? { allow: false, rule: found.rule, message: found.message, objects: [], hint: null } : null;
}

/** A macro that is called must be admitted still when a description is judged again. */
function refusedByMacro(set: EffectiveSet, { macros }: Description): Refusal | null {
  const isAdmitted = ({ catalog, schema, name }: MacroName): boolean =>
    set.macros.some(
      (macro) =>
        macro.catalog === foldName(catalog) && macro.schema === foldName(schema) && macro.name === foldName(name),
    );
  const found = macros.find((macro) => !isAdmitted(macro));
  const message = `function ${found?.name} is not classified`;
  return found ? { allow: false, rule: 'function', message, objects: [], hint: null } : null;
}

/** What was read with its owner's rights must be a secure view still when a description is judged again. */
function refusedBySecureView(set: EffectiveSet, { secureViews }: Description): Refusal | null {
  const isSecure = (view: MacroName): boolean => set.secureViews.some((one) => keyOf(one) === keyOf(view));
  const found = secureViews.find((view) => !isSecure(view));
  if (!found) return null;
  const message = `${inTable(found)} is no secure view any more`;
  return { allow: false, rule: 'secure-view', message, objects: [], hint: null };
}

function refusedByDeny(set: EffectiveSet, { objects }: Description): Refusal | null {
  // What is under a view or a macro and no grant tells of is refused as such: a denied base would tell that it is there.
  const denied = objects.filter((object) => isDenied(set, object) && (!isUnder(object) || isKnown(set, object)));
  return denied.length > 0
    ? refusal(
        set,
        denied.flatMap((object) => shown(set, object, isDenied)),
        'deny',
      )
    : null;
}

function refusedByGrants(set: EffectiveSet, { objects }: Description): Refusal | null {
  const lacking = objects.filter((object) => isDenied(set, object) || isLacking(set, object));
  return lacking.length > 0
    ? refusal(
        set,
        lacking.flatMap((object) => shown(set, object, isLacking)),
        'grant',
      )
    : null;
}

/** The statement reaches it by what stands for it: a view, a macro. */
function isUnder({ via, written }: ObjectAccess): boolean {
  return via.length > 0 || written.some(({ kind }) => kind === 'macro');
}

type Judged = Pick<ObjectAccess, 'catalog' | 'schema' | 'name' | 'access' | 'temporary'>;

function isDenied(set: EffectiveSet, object: Judged): boolean {
  return !object.temporary && matches(set, object, 'deny');
}

function isLacking(set: EffectiveSet, object: Judged): boolean {
  return !object.temporary && !matches(set, object, 'allow');
}

/**
 * Whether grants cover all objects of a description, and no deny one of them: what the statement does otherwise is not
 * looked at.
 */
export function grantsCover(set: EffectiveSet, description: Description): boolean {
  return set.tenant === null || (refusedByDeny(set, description) ?? refusedByGrants(set, description)) === null;
}

function matches(
  set: EffectiveSet,
  object: Pick<ObjectAccess, 'catalog' | 'schema' | 'name' | 'access'>,
  effect: TablePermission['effect'],
): boolean {
  return set.permissions.some((permission) => permission.effect === effect && covers(set, permission, object));
}

/** Source: seed 000, "How a grant covers a table access" and "Wildcards". */
function covers(
  set: EffectiveSet,
  permission: TablePermission,
  object: Pick<ObjectAccess, 'catalog' | 'schema' | 'name' | 'access'>,
): boolean {
  return (
    classesOfVerb(permission.verb).includes(classOfAccess(object.access)) &&
    coversCatalog(set, permission, object.catalog) &&
    part(permission.schema, object.schema) &&
    (part(permission.table, object.name) || (permission.effect === 'deny' && object.name === '*'))
  );
}

/** Whether a grant tells the principal that an object is there: one on its name, or on that of a view over it. */
function isKnown(set: EffectiveSet, object: ObjectAccess): boolean {
  if (object.via.length > 0) return object.via.some((over) => matches(set, { ...over, access: 'read' }, 'allow'));
  return ACCESSES.some((access) => matches(set, { ...object, access }, 'allow'));
}

/** One access of each class. */
const ACCESSES = ['read', 'update', 'alter'] as const;

/**
 * What a refusal may name (DESIGN invariant 15): a base table only to one who wrote its name or is granted a view over
 * it; to one whom no grant tells that it is there, all that the name could mean and is `refused`, which is what a missing
 * one has too. A macro is named as such: no grant covers it.
 */
function shown(
  set: EffectiveSet,
  object: ObjectAccess,
  refused: (set: EffectiveSet, object: Judged) => boolean,
): RefusedObject[] {
  const { catalog, schema, name, kind, access, written, via } = object;
  const itself = [{ catalog, schema, name, kind, access }];
  if (isKnown(set, object)) return itself;
  const asWritten = written.map((one) => ({ ...one, access: via.length > 0 ? ('read' as const) : access }));
  const list = asWritten.filter((one) => one.kind === 'macro' || refused(set, { ...one, temporary: false }));
  return list.length > 0 ? list : itself;
}

function refusal(set: EffectiveSet, objects: RefusedObject[], rule: 'grant' | 'deny'): Refusal {
  // In an order of their own: what is hidden is not told from what is missing by its place.
  const byName = new Map(objects.map((object) => [inWords(object), object]));
  const distinct = [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  const list = distinct.map(inWords).join(', ');
  const message =
    rule === 'grant' ? `user:${set.username} lacks grants on ${list}` : `user:${set.username} is denied ${list}`;
  return { allow: false, rule, message, objects: distinct, hint: rule === 'grant' ? hintOf(distinct) : null };
}

function inWords({ catalog, schema, name, access }: Omit<RefusedObject, 'kind'>): string {
  return `${catalog}.${schema}.${name}:${access}`;
}

const SMALLEST: Readonly<Record<AccessClass, Verb>> = { Read: 'RO', Write: 'RW', Ddl: 'DDL' };

/** The grants that an administrator would have to make, in the notation of seed 000. */
function hintOf(objects: RefusedObject[]): string {
  const macro = objects.find(({ kind }) => kind === 'macro');
  // What it reads is not for the caller to hear.
  if (macro) return `an administrator can grant what the macro ${macro.name} reads to a role of yours`;
  const grants = objects.map(({ catalog, schema, name, access }) => {
    return `${SMALLEST[classOfAccess(access)]} on ${catalog}.${schema}.${name}`;
  });
  return `an administrator can grant ${[...new Set(grants)].join(' and ')} to a role of yours`;
}

/**
 * What no governed rewriting makes right: a denied column, a place of a row, a table whose reads cannot be governed in a
 * statement of this kind. What is left is governed (libs/rewriters, `govern`) and proven on the plan.
 */
function refusedByPolicy(set: EffectiveSet, { objects, governable }: Description): Refusal | null {
  if (!hasPolicies(set)) return null;
  const written = new Set(objects.filter(({ access }) => access !== 'read').map(keyOf));
  for (const object of objects) {
    const views = object.kind === 'view' && object.access === 'read' ? [object, ...object.via] : object.via;
    const view = views.find((over) => isNamedByPolicy(set, over));
    if (view) return ofPolicy(set, object, 'row-policy', `a policy on the view ${view.name} is not supported`);
    const restrictions = restricted(set, object);
    // Of what is only made nothing is there to be seen.
    if (!restrictions || object.access === 'create') continue;
    const rule = restrictions.filters === null ? 'column-policy' : 'row-policy';
    if (!governable) return ofPolicy(set, object, rule, `${inWords(object)} is under a ${rule}`);
    // What a write reads of its own target is held against the plan: it takes along more than the statement says.
    if (object.access !== 'read' || written.has(keyOf(object))) continue;
    const column = object.columns.find((one) => restrictions.denied.has(foldName(one)));
    if (column !== undefined) {
      const message = `user:${set.username} is denied column ${column} of ${inTable(object)}`;
      return ofPolicy(set, object, 'column-policy', message, column);
    }
  }
  return null;
}

function isNamedByPolicy(set: EffectiveSet, view: { catalog: string; schema: string; name: string }): boolean {
  return [...set.columnPolicies, ...set.rowPolicies].some(
    (policy) => policy.table !== '*' && policyMatches(set, policy, view),
  );
}

function ofPolicy(
  set: EffectiveSet,
  object: ObjectAccess,
  rule: 'column-policy' | 'row-policy',
  message: string,
  column?: string,
): Refusal {
  const objects = shown(set, object, () => true).map((one) => (column === undefined ? one : { ...one, column }));
  return { allow: false, rule, message, objects, hint: null };
}

function keyOf({ catalog, schema, name }: MacroName): string {
  return JSON.stringify([catalog, schema, name].map(foldName));
}

function inTable({ catalog, schema, name }: MacroName): string {
  return `${catalog}.${schema}.${name}`;
}
