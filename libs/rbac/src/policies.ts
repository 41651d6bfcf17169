import { foldName } from './fold';
import type { ColumnPolicy, EffectiveSet, OfRole, RowPolicy, TableTuple } from './model';
import type { RoleColumnPolicy, TenantState } from './state';
import { coversCatalog, holds, overlap, part, wildcards } from './tuple';

/** What a column shows instead of its values. */
export interface ColumnMask {
  /** Canonical form; null: masks contradict each other, and the column is NULL of its type. */
  expression: string | null;
  /** The roles that bring it, sorted. */
  roles: string[];
}

/** What policies leave of one table to a principal. Columns are folded names. */
export interface Restrictions {
  /** Columns that may not be read at all, with the role that says so. */
  denied: ReadonlyMap<string, string>;
  masks: ReadonlyMap<string, ColumnMask>;
  /** A row is seen if one of these predicates (canonical, sorted) is true for it; null: every row is. */
  filters: readonly string[] | null;
}

/** A table by its names on the node. */
export interface TableName {
  catalog: string;
  schema: string;
  name: string;
}

type Column = OfRole<ColumnPolicy>;
type Row = OfRole<RowPolicy>;

/** The policies of a set by the folded name of their table, those of every table under `*`. */
interface Index {
  columns: ReadonlyMap<string, readonly Column[]>;
  rows: ReadonlyMap<string, readonly Row[]>;
}

/** Sets are never changed, and live as long as statements are judged by them. */
const indexes = new WeakMap<EffectiveSet, Index>();

/** What no policy restricts. */
export const UNRESTRICTED: Restrictions = { denied: new Map(), masks: new Map(), filters: null };

/**
 * What the policies of a set leave of a table. Pure; the order of roles and of policies makes no difference. A tuple
 * matches as that of a grant does. Columns: deny beats mask; of one role the tuple with the fewest wildcards wins; roles
 * agree or the column is NULL, so that a role more never shows more of it. Rows: whatever one predicate admits.
 * Source: seed 000, "Column-level policies" and "Combining policies"; stricter where masks of roles differ.
 */
export function restrictionsOf(set: EffectiveSet, table: TableName): Restrictions {
  if (set.columnPolicies.length === 0 && set.rowPolicies.length === 0) return UNRESTRICTED;
  const { columns, rows } = indexOf(set);
  const matching = <P extends TableTuple>(policies: ReadonlyMap<string, readonly P[]>): P[] =>
    [...(policies.get(foldName(table.name)) ?? []), ...(policies.get('*') ?? [])].filter((policy) =>
      policyMatches(set, policy, table),
    );
  const [ofColumns, ofRows] = [matching(columns), matching(rows)];
  if (ofColumns.length === 0 && ofRows.length === 0) return UNRESTRICTED;
  const predicates = new Set(ofRows.map(({ predicateSql }) => predicateSql));
  return { ...columnRestrictions(ofColumns), filters: predicates.size === 0 ? null : [...predicates].sort() };
}

function indexOf(set: EffectiveSet): Index {
  const known = indexes.get(set);
  if (known) return known;
  const index = { columns: byTable(set.columnPolicies), rows: byTable(set.rowPolicies) };
  indexes.set(set, index);
  return index;
}

function byTable<P extends TableTuple>(policies: readonly P[]): Map<string, P[]> {
  return grouped(policies, ({ table }) => foldName(table));
}

function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** Whether a policy is about a table: its tuple matches as that of a grant does. */
export function policyMatches(set: EffectiveSet, policy: TableTuple, table: TableName): boolean {
  return (
    coversCatalog(set, { catalog: policy.catalog, effect: 'allow' }, table.catalog) &&
    part(policy.schema, table.schema) &&
    part(policy.table, table.name)
  );
}

function columnRestrictions(policies: readonly Column[]): Pick<Restrictions, 'denied' | 'masks'> {
  const denied = new Map<string, string>();
  const masks = new Map<string, ColumnMask>();
  for (const [column, ofColumn] of grouped(policies, (policy) => foldName(policy.column))) {
    const [denier] = rolesOf(ofColumn.filter(({ action }) => action === 'deny'));
    if (denier !== undefined) denied.set(column, denier);
    else masks.set(column, combined(ofColumn));
  }
  return { denied, masks };
}

const rolesOf = (policies: readonly Column[]): string[] => [...new Set(policies.map(({ role }) => role))].sort();

function combined(masks: readonly Column[]): ColumnMask {
  const winners = [...grouped(masks, ({ role }) => role).values()].flatMap(mostSpecific);
  const expressions = new Set(winners.map(({ transformSql }) => transformSql));
  const [expression = null] = expressions.size === 1 ? expressions : [];
  return { expression, roles: rolesOf(winners) };
}

function mostSpecific(ofRole: readonly Column[]): readonly Column[] {
  const fewest = Math.min(...ofRole.map(wildcards));
  return ofRole.filter((policy) => wildcards(policy) === fewest);
}

/** Where masks contradict each other, so that the column is NULL. */
export interface MaskConflict extends TableTuple {
  column: string;
  /** Sorted. */
  roles: string[];
}

/** The masks of a principal that contradict each other, each tuple and column once, sorted. */
export function maskConflicts(policies: readonly Column[]): MaskConflict[] {
  const found = new Map<string, MaskConflict>();
  for (const ofColumn of grouped(policies, (policy) => foldName(policy.column)).values()) {
    for (const [i, one] of ofColumn.entries()) {
      for (const other of ofColumn.slice(i + 1)) {
        const tuple = contradiction(one, other);
        if (tuple === null || !isInForce(one, tuple, ofColumn) || !isInForce(other, tuple, ofColumn)) continue;
        const { catalog, schema, table } = tuple;
        const place = [catalog, schema, table, one.column].map((name) => foldName(name));
        const roles = found.get(JSON.stringify(place))?.roles ?? [];
        const [c = '', s = '', t = '', column = ''] = place;
        const merged = [...new Set([...roles, one.role, other.role])].sort();
        found.set(JSON.stringify(place), { catalog: c, schema: s, table: t, column, roles: merged });
      }
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, conflict]) => conflict);
}

/** The tables on which two masks of one column differ; null where they do not. */
function contradiction(
  one: Pick<ColumnPolicy, 'action' | 'transformSql'> & TableTuple,
  other: Pick<ColumnPolicy, 'action' | 'transformSql'> & TableTuple,
): TableTuple | null {
  const masks = one.action === 'mask' && other.action === 'mask';
  return masks && one.transformSql !== other.transformSql ? overlap(one, other) : null;
}

/**
 * What the author of a mask should know: other roles that mask the same column of the same tables otherwise, so that who
 * holds both sees NULL.
 */
export function maskWarnings(state: TenantState, policyId: string): string[] {
  const made = state.columnPolicies.find(({ id }) => id === policyId);
  if (made === undefined) return [];
  const name = (roleId: string): string => state.roles.find(({ id }) => id === roleId)?.name ?? '';
  const warnings = state.columnPolicies.flatMap((other) => {
    const apart = other.roleId !== made.roleId && foldName(other.column) === foldName(made.column);
    const tuple = apart ? contradiction(inForce(made), inForce(other)) : null;
    if (tuple === null) return [];
    const place = `${tuple.catalog}.${tuple.schema}.${tuple.table}`;
    const roles = `role ${name(other.roleId)} masks ${made.column} of ${place} otherwise`;
    return [`${roles}: who holds it and role ${name(made.roleId)} sees NULL there`];
  });
  return [...new Set(warnings)].sort();
}

/** A mask as sets have it. */
function inForce({ canonical, ...row }: RoleColumnPolicy): RoleColumnPolicy {
  return { ...row, canonical, transformSql: canonical };
}

/** False where a denial, or a more specific mask of the same role, takes the place of this one on the whole tuple. */
function isInForce(policy: Column, tuple: TableTuple, ofColumn: readonly Column[]): boolean {
  return !ofColumn.some(
    (other) =>
      holds(other, tuple) &&
      (other.action === 'deny' || (other.role === policy.role && wildcards(other) < wildcards(policy))),
  );
}
