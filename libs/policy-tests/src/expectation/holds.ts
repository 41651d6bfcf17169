import { foldName } from '@gadwall/rbac';
import type { Expectation } from '../cases';
import type { Answer, Denied, Outcome } from '../run/outcome';
import type { Cell } from '../source';
import { pairRows, type RowPair } from './values';

/** What did not hold, in words, and the rows where it was about them. */
export interface Mismatch {
  expected: string;
  seen: string;
  rows?: RowPair[];
}

/** The answer to a statement, and those that it is compared with. */
export interface Answers {
  seen: Outcome;
  /** To the same statement of a superuser's, by the name of the twin. */
  twins: ReadonlyMap<string, Outcome>;
  /** To the questions of `state`, by their SQL. */
  state: ReadonlyMap<string, Outcome>;
}

/** The first thing expected that does not hold; null when all do. */
export function mismatchOf(expect: Expectation, answers: Answers): Mismatch | null {
  const { seen } = answers;
  if (seen.kind === 'broken') return { expected: inWords(expect), seen: inShort(seen) };
  return (
    ofAnswer(expect, seen) ??
    ofTwin(expect, answers) ??
    ofRefusal(expect, seen) ??
    ofAny(expect.anyOf, answers) ??
    ofState(expect.state, answers)
  );
}

/** What has to be asked for an expectation beside the statement itself. */
export function askedBy(expect: Expectation): { twins: string[]; state: string[] } {
  const inner = expect.anyOf.map(askedBy);
  const twins = [...(expect.sameAs === null ? [] : [expect.sameAs]), ...inner.flatMap((one) => one.twins)];
  const state = [...expect.state.map(({ sql }) => sql), ...inner.flatMap((one) => one.state)];
  return { twins: [...new Set(twins)], state: [...new Set(state)] };
}

const SUCCESS = ['rows', 'count', 'affected', 'columns', 'types'] as const;

function ofAnswer(expect: Expectation, seen: Outcome): Mismatch | null {
  if (!expect.allowed && SUCCESS.every((key) => expect[key] === null)) return null;
  if (seen.kind !== 'answer') return { expected: inWords(expect), seen: inShort(seen) };
  const names = seen.columns.map(({ name }) => name);
  const types = seen.columns.map(({ type }) => type);
  const { rows, ordered, count, affected } = expect;
  const differing = rows && ofRows(rowsInShort(rows), rows, seen, ordered);
  if (differing) return differing;
  if (count !== null && count !== seen.rows.length) {
    return { expected: `a count of ${count}`, seen: inShort(seen) };
  }
  if (affected !== null && affected !== seen.affected) {
    return { expected: `${plural(affected, 'row')} changed`, seen: inShort(seen) };
  }
  return ofList('columns', expect.columns, names) ?? ofList('types', expect.types, types);
}

function ofRows(expected: string, rows: readonly Cell[][], seen: Answer, ordered: boolean): Mismatch | null {
  const types = seen.columns.map(({ type }) => type);
  const pairs = pairRows(rows, seen.rows, types, ordered);
  if (pairs.every(({ equal }) => equal)) return null;
  return { expected: ordered ? `${expected}, in this order` : expected, seen: inShort(seen), rows: pairs };
}

function ofList(what: string, expected: readonly string[] | null, seen: readonly string[]): Mismatch | null {
  if (expected === null || sameList(expected, seen)) return null;
  return { expected: `${what} ${expected.join(', ')}`, seen: seen.join(', ') || 'none' };
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

/** The same rows, names and types, or the same class of error. */
function ofTwin({ sameAs, ordered }: Expectation, { seen, twins }: Answers): Mismatch | null {
  if (sameAs === null) return null;
  const twin = twins.get(sameAs);
  if (!twin) throw new Error(`the twin ${sameAs} was not asked`);
  const expected = `the same as ${sameAs}, which gives ${inShort(twin)}`;
  if (twin.kind !== 'answer' || seen.kind !== 'answer') {
    return classOf(twin) === classOf(seen) ? null : { expected, seen: inShort(seen) };
  }
  const columns = (answer: Answer): string[] => answer.columns.map(({ name, type }) => `${name} ${type}`);
  const head = ofList('columns', columns(twin), columns(seen));
  if (head) return head;
  if (twin.affected !== seen.affected) return { expected, seen: inShort(seen) };
  return ofRows(expected, twin.rows, seen, ordered);
}

/** The class of an error is the engine's own, as in `Conversion Error: …`, where its text has one. */
function classOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'answer':
    case 'broken':
      return outcome.kind;
    case 'denied':
      return outcome.unreadable ? 'error' : 'denied';
    case 'error':
      return `error ${/^([A-Z][\w ]+) Error:/.exec(outcome.message)?.[1] ?? outcome.code}`;
  }
}

function ofRefusal({ denied, error, refused }: Expectation, seen: Outcome): Mismatch | null {
  const failed = seen.kind === 'error' || (seen.kind === 'denied' && seen.unreadable);
  if (refused && seen.kind !== 'denied' && seen.kind !== 'error') return { expected: 'refused', seen: inShort(seen) };
  if (error !== null && !(failed && seen.message.includes(error))) {
    return { expected: error === '' ? 'an error of the engine' : `an error with "${error}"`, seen: inShort(seen) };
  }
  if (denied === null) return null;
  const missing = seen.kind === 'denied' ? denied.filter((reason) => !names(seen, reason)) : denied;
  if (seen.kind === 'denied' && missing.length === 0) return null;
  return { expected: denied.length === 0 ? 'denied' : `denied, by ${denied.join(' and ')}`, seen: inShort(seen) };
}

const OBJECT_ACCESS = /^([^\s:]+):(read|insert|update|delete|create|drop|alter)$/;

/** `object:access` is of an object that the reason names, by its last name parts; any other is a part of its text. */
function names({ message, objects }: Denied, reason: string): boolean {
  const [, name, access] = OBJECT_ACCESS.exec(reason) ?? [];
  if (name === undefined) return message.includes(reason);
  return objects.some((object) => {
    const full = foldName(`${object.catalog}.${object.schema}.${object.name}`);
    return object.access === access && (full === foldName(name) || full.endsWith(`.${foldName(name)}`));
  });
}

function ofAny(alternatives: readonly Expectation[], answers: Answers): Mismatch | null {
  if (alternatives.length === 0) return null;
  const mismatches = alternatives.map((one) => mismatchOf(one, answers));
  if (mismatches.includes(null)) return null;
  const [first] = mismatches;
  const expected = mismatches.map((one) => one?.expected).join(', or ');
  return { ...first, expected, seen: inShort(answers.seen) };
}

function ofState(questions: Expectation['state'], { state }: Answers): Mismatch | null {
  for (const { sql, rows, ordered } of questions) {
    const seen = state.get(sql);
    if (!seen) throw new Error(`the state was not asked: ${sql}`);
    const expected = `${rowsInShort(rows)} afterwards, for a superuser, of ${sql}`;
    if (seen.kind !== 'answer') return { expected, seen: inShort(seen) };
    const differing = ofRows(expected, rows, seen, ordered);
    if (differing) return differing;
  }
  return null;
}

/** What is expected, for a statement of which nothing at all holds. */
function inWords(expect: Expectation): string {
  if (expect.denied !== null)
    return expect.denied.length === 0 ? 'denied' : `denied, by ${expect.denied.join(' and ')}`;
  if (expect.error !== null) return 'an error of the engine';
  if (expect.refused) return 'refused';
  if (expect.rows !== null) return rowsInShort(expect.rows);
  if (expect.sameAs !== null) return `the same as ${expect.sameAs}`;
  if (expect.contained) return 'an answer without a secret';
  if (expect.anyOf.length > 0) return expect.anyOf.map(inWords).join(', or ');
  return 'allowed';
}

/** An outcome in one line. */
function inShort(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'answer': {
      const rows = rowsInShort(outcome.rows);
      if (outcome.affected === null) return rows;
      return `${plural(outcome.affected, 'row')} changed${outcome.rows.length > 0 ? `, ${rows}` : ''}`;
    }
    case 'denied':
      return `denied: ${outcome.message}`;
    case 'error':
      return `an error: ${outcome.message}`;
    case 'broken':
      return `no outcome: ${outcome.message}`;
  }
}

/** Characters up to which rows are written out in the line of a case. */
const SHORT = 80;

function rowsInShort(rows: readonly Cell[][]): string {
  const count = plural(rows.length, 'row');
  const text = rows.length > 0 && rows.length <= SHORT ? rows.map(inJson).join(', ') : '';
  return text === '' || text.length > SHORT ? count : `${count} ${text}`;
}

/** A row as JSON. */
export function inJson(row: readonly Cell[]): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
