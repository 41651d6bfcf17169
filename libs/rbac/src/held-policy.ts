import { foldName } from './fold';
import type { TablePermission, TableTuple } from './model';
import type { RoleColumnPolicy, RoleRowPolicy } from './state';
import { overlap } from './tuple';

/** A policy as reaches compare them: under equal keys two of them restrict alike. */
export interface HeldPolicy extends TableTuple {
  key: string;
}

const known = new WeakMap<object, HeldPolicy>();

/** The role counts: of one role the most specific mask wins, between roles they have to agree. */
export function heldColumnPolicy(row: RoleColumnPolicy): HeldPolicy {
  return remembered(row, [row.roleId, foldName(row.column), row.action, row.canonical]);
}

export function heldRowPolicy(row: RoleRowPolicy): HeldPolicy {
  return remembered(row, [row.canonical]);
}

function remembered(row: TableTuple, rule: readonly (string | null)[]): HeldPolicy {
  const found = known.get(row);
  if (found) return found;
  const [catalog, schema, table] = [foldName(row.catalog), foldName(row.schema), foldName(row.table)];
  const held = { key: JSON.stringify([catalog, schema, table, ...rule]), catalog, schema, table };
  known.set(row, held);
  return held;
}

/** The policies of a holder, by key and by table: holders are compared with many others. */
interface Index {
  keys: ReadonlySet<string>;
  byTable: ReadonlyMap<string, readonly HeldPolicy[]>;
}

const indexes = new WeakMap<readonly HeldPolicy[], Index>();

function indexOf(policies: readonly HeldPolicy[]): Index {
  const found = indexes.get(policies);
  if (found) return found;
  const byTable = new Map<string, HeldPolicy[]>();
  for (const policy of policies) {
    const ofTable = byTable.get(policy.table);
    if (ofTable) ofTable.push(policy);
    else byTable.set(policy.table, [policy]);
  }
  const index = { keys: new Set(policies.map(({ key }) => key)), byTable };
  indexes.set(policies, index);
  return index;
}

const NONE: readonly TablePermission[] = [];

/**
 * The tables that `holder` sees restricted, and `other` perhaps less so, as denials of reading and writing: what of them
 * the other one sees is not held by the holder. What policies leave of a table hangs on those alone that match it, so that
 * where the two have the same ones they see the same.
 */
export function restrictedFor(other: readonly HeldPolicy[], holder: readonly HeldPolicy[]): readonly TablePermission[] {
  if (holder.length === 0 || holder === other) return NONE;
  const [own, theirs] = [indexOf(holder), indexOf(other)];
  const apart: TableTuple[] = holder.filter(({ key }) => !theirs.keys.has(key));
  for (const policy of other) {
    if (own.keys.has(policy.key)) continue;
    const near =
      policy.table === '*' ? holder : [...(own.byTable.get(policy.table) ?? []), ...(own.byTable.get('*') ?? [])];
    apart.push(...near.flatMap((mine) => overlap(policy, mine) ?? []));
  }
  const distinct = new Map<string, TablePermission>();
  for (const { catalog, schema, table } of apart) {
    distinct.set(`${catalog}\0${schema}\0${table}`, { effect: 'deny', catalog, schema, table, verb: 'RW' });
  }
  return [...distinct.values()];
}
