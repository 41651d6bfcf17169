import { type Outcome, ROOT } from '../../support/pipeline';
import type { NodeSession } from '@gadwall/engine';
import { answerOf, type Pair, rowsOf, within } from './two-worlds';
import type { Policies, Shown } from './policies';
import { type Table, TYPES } from './world';
import type { Write } from './writes';

/** Why a statement may be refused for the policies on what it touches, by the words of the refusal. */
export const REFUSALS: readonly [string, RegExp][] = [
  ['a denied column is read', /denied column/],
  ['a row is written that the policy does not admit', /^row policy violated/],
  ['a masked column decides or is written from in a write', /a masked column is used in the WHERE or SET/],
  ['an error could tell of hidden rows', /could tell of rows that are hidden/],
  ['a write over a form that is not proven', /^.*UPDATE and DELETE (over|with)/],
];

export type Found = { kind: 'equal' | 'no plan' } | { kind: 'refused'; why: string } | { kind: 'wrong'; how: string };

function refusalOf({ code, message }: Outcome): Found | null {
  if (code !== 'access_denied') return null;
  const why = REFUSALS.find(([, words]) => words.test(message))?.[0];
  return why === undefined ? { kind: 'wrong', how: `refused: ${message}` } : { kind: 'refused', why };
}

function differences(seen: unknown, expected: unknown): Found {
  const [a, b] = [seen, expected].map((one) => JSON.stringify(one, null, 1));
  return a === b ? { kind: 'equal' } : { kind: 'wrong', how: `saw ${a}\nexpected ${b}` };
}

/** A query is held against the copy. */
export async function compareQuery({ raw, copy, policies }: Pair, sql: string): Promise<Found & { outcome: Outcome }> {
  const expected = await copy.run(ROOT, sql);
  const seen = await raw.run(policies.set, sql);
  if (expected.code === 'access_denied')
    return { kind: seen.code === expected.code ? 'no plan' : 'wrong', how: 'not refused', outcome: seen };
  // A cast that the engine does not know fails where it is computed: over a mask that is NULL it is folded away.
  const folded = policies.set.columnPolicies.some(({ transformSql }) => transformSql === 'NULL');
  if (folded && seen.code === 'ok' && expected.message.includes('Unimplemented type for cast')) {
    return { kind: 'no plan', outcome: expected };
  }
  const found = refusalOf(seen) ?? differences(answerOf(seen), answerOf(expected));
  const how = found.kind === 'wrong' ? { how: `${found.how}\n${seen.message}\n${expected.message}` } : {};
  return { ...found, ...how, outcome: expected };
}

/** A write is held against the copy by what it leaves there, and against the database by the rows that are hidden. */
export async function compareWrite(pair: Pair, write: Write): Promise<Found & { outcome: Outcome }> {
  const { raw, copy, policies } = pair;
  const { target, sql } = write;
  const expected = await within(copy, ROOT, sql, async (session, outcome) => ({
    outcome,
    state: outcome.code === 'ok' ? await stateOf(session, write, policies, false) : null,
  }));
  const before =
    target &&
    (await within(raw, ROOT, 'SELECT 1', (session) => hiddenRows(session, target, policies.shown.get(target.name))));
  const seen = await within(raw, policies.set, sql, async (session, outcome) => ({
    outcome,
    state: outcome.code === 'ok' ? await stateOf(session, write, policies, true) : null,
    hidden:
      outcome.code === 'ok' && target ? await hiddenRows(session, target, policies.shown.get(target.name)) : before,
  }));
  const { outcome } = expected;
  const of = (found: Found): Found & { outcome: Outcome } => ({ ...found, outcome });
  if (JSON.stringify(seen.hidden) !== JSON.stringify(before)) {
    return of({
      kind: 'wrong',
      how: `rows that are hidden changed from ${JSON.stringify(before)} to ${JSON.stringify(seen.hidden)}`,
    });
  }
  // What the engine cannot show a plan of is refused to everybody.
  if (outcome.code === 'access_denied' && seen.outcome.message === outcome.message) return of({ kind: 'no plan' });
  const refused = refusalOf(seen.outcome);
  if (refused) return of(refused);
  const answers = [seen.outcome, outcome].map(({ code, affected }) => ({ code, affected }));
  return of(differences({ ...answers[0], state: seen.state }, { ...answers[1], state: expected.state }));
}

/**
 * What a session holds of the table that was written, or made. `shown`: as policies show it. What was written into a masked
 * column is masked now, and is left out.
 */
async function stateOf(
  session: NodeSession,
  { target, written }: Write,
  policies: Policies,
  shown: boolean,
): Promise<string[]> {
  if (!target) return textsOf(await session.connection.rows('FROM made'));
  const { filters, masks, denied } = policies.shown.get(target.name) as Shown;
  const hidden = (name: string): boolean => masks.has(name) || denied.has(name);
  const list = target.columns
    .filter(({ name }) => !hidden(name) || !written.includes(name))
    .map(({ name, type }) => {
      const mask = denied.has(name) ? 'NULL' : masks.get(name);
      return mask === undefined || !shown ? name : `TRY_CAST((${mask}) AS ${TYPES[type]}) AS ${name}`;
    });
  const where = shown && filters ? ` WHERE ${conditionOf(filters)}` : '';
  return textsOf(await session.connection.rows(`SELECT ${list.join(', ')} FROM ${target.name}${where}`));
}

async function hiddenRows(session: NodeSession, { name }: Table, shown: Shown | undefined): Promise<string[]> {
  if (!shown?.filters) return [];
  return textsOf(await session.connection.rows(`FROM ${name} WHERE (${conditionOf(shown.filters)}) IS NOT TRUE`));
}

function conditionOf(filters: readonly string[]): string {
  return filters.map((one) => `(${one})`).join(' OR ');
}

function textsOf(rows: Record<string, unknown>[]): string[] {
  return rowsOf({ rows: rows.map((row) => Object.values(row)) });
}
