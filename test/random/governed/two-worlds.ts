import { type NodeSession } from '@gadwall/engine';
import { type EffectiveSet } from '@gadwall/rbac';
import { type Outcome, startPipeline, type TestPipeline } from '../../support/pipeline';
import { Choices } from './choices';
import { Maker, type Named, relationsOf } from './maker';
import { policiesOf, type Policies, shownSql } from './policies';
import { type Column, type Table, tableSql, tablesOf, viewsOf, type World } from './world';

/** A database under policies, and a copy that holds only what they show. */
export interface Pair extends World {
  policies: Policies;
  raw: TestPipeline;
  copy: TestPipeline;
  relations: Named[];
  close(): Promise<void>;
}

export function readableOf({ shown }: Policies): (table: Table) => Column[] {
  return ({ name, columns }) => columns.filter((one) => !shown.get(name)?.denied.has(one.name));
}

/** @param given the policies that the node has of those that the copy is made by */
export async function openPair(choices: Choices, given: (set: EffectiveSet) => EffectiveSet): Promise<Pair> {
  const tables = tablesOf(choices);
  const made = policiesOf(tables, choices);
  const policies = { ...made, set: given(made.set) };
  const readable = readableOf(policies);
  const views = viewsOf(tables, readable, choices);
  const viewSql = views.map(({ sql }) => `${sql};`).join('\n');
  const raw = await startPipeline(`${tables.map(tableSql).join('\n')} ${viewSql}`);
  const shown = tables.map((table, i) => {
    const source = `source${i}`;
    const all = tableSql({ ...table, name: source });
    const empty = tableSql({ ...table, rows: [] });
    const of = policies.shown.get(table.name);
    return of ? `${all} ${empty} ${shownSql(table, of, source)} DROP TABLE ${source};` : '';
  });
  const copy = await startPipeline(`${shown.join('\n')} ${viewSql}`);
  const relations = relationsOf({ tables, views }, readable);
  const close = async (): Promise<void> => {
    await raw.close();
    await copy.close();
  };
  return { tables, views, policies, raw, copy, relations, close };
}

export function makerOn(pair: Pair, numbers: readonly number[]): Maker {
  return new Maker(new Choices(numbers), pair.relations);
}

/** A value as a text that tells it from every other. */
function shownValue(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one)) ?? 'nothing';
}

/** Rows as texts, in an order of their own. */
export function rowsOf({ rows }: Pick<Outcome, 'rows'>): string[] {
  return rows.map((row) => row.map(shownValue).join(' | ')).sort();
}

/** What can be told of two answers apart from their errors' words. */
export function answerOf(outcome: Outcome): unknown {
  const { code, types, affected } = outcome;
  return { code, columns: outcome.columns.map(unspaced), types, affected, rows: rowsOf(outcome) };
}

/** A column that is called by its text: how the engine spaces and quotes the types in it is nothing to hold it to. */
function unspaced(name: string): string {
  return name.replaceAll(/(\d), (\d)/g, '$1,$2').replaceAll('"DATE"', 'DATE');
}

/** A statement in a transaction that is rolled back, and what is looked at before that. */
export async function within<T>(
  side: TestPipeline,
  set: EffectiveSet,
  sql: string,
  look: (session: NodeSession, outcome: Outcome) => Promise<T>,
): Promise<T> {
  const session = await side.session(set);
  await side.run(set, 'BEGIN', { session });
  try {
    const outcome = await side.run(set, sql, { session });
    return await look(session, outcome);
  } finally {
    await side.run(set, 'ROLLBACK', { session });
    session.end();
  }
}
