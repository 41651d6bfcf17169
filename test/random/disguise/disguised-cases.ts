import type { PolicyCase } from '@gadwall/policy-tests';
import { isStatement, kindOf, OF_QUERY, OF_TEXT, one, type Random, tokensOf } from './texts';

type Step = PolicyCase['runs'][number][number];
type Statement = Extract<Step, { kind: 'statement' }>;
type Expectation = Statement['expect'];

const NOTHING_SAID: Expectation = {
  allowed: false,
  rows: null,
  ordered: false,
  count: null,
  affected: null,
  columns: null,
  types: null,
  sameAs: null,
  denied: null,
  error: null,
  refused: false,
  contained: false,
  anyOf: [],
  state: [],
};
const REFUSED: Expectation = { ...NOTHING_SAID, refused: true };
/** By Gadwall, not for its syntax: a disguise keeps what a statement means. */
const DENIED: Expectation = { ...NOTHING_SAID, denied: [] };
const ALLOWED: Expectation = { ...NOTHING_SAID, allowed: true };
/** Whatever it answers: what follows tells. */
const ANYTHING: Expectation = { ...NOTHING_SAID, contained: true };

export type Sort = 'refused' | 'allowed' | 'steps';

/** What a case asks for of its only statement, or that it has several; null where it is none of these. */
export function sortOf({ runs }: PolicyCase): Sort | null {
  if (runs.some((steps) => steps.length > 1)) return 'steps';
  const sorts = runs.map(([step]) => (step ? sortOfStep(step) : null));
  return sorts.every((sort) => sort === sorts[0]) ? (sorts[0] ?? null) : null;
}

function sortOfStep(step: Step): 'refused' | 'allowed' | null {
  return step.kind === 'statement' && isStatement(step.sql) ? sortOfExpectation(step.expect) : null;
}

function sortOfExpectation({ denied, refused, error, anyOf, ...asked }: Expectation): 'refused' | 'allowed' | null {
  if (anyOf.length > 0 || error !== null) return null;
  if (denied !== null || refused) return 'refused';
  const { allowed, rows, count, affected, sameAs } = asked;
  return allowed || [rows, count, affected, sameAs].some((value) => value !== null) ? 'allowed' : null;
}

/** What a disguise is made of: nothing else of it is left to chance. */
interface Plan {
  wraps: string[];
  texts: string[];
  /** What stands around it all; null = nothing. */
  road: Road | null;
}

const ROADS = ['view', 'explain', 'explain analyze', 'prepare', 'temporary table', 'second', 'first'] as const;
type Road = (typeof ROADS)[number];

/** The roads that are open to a statement. */
function roadsOf(statement: Statement, sort: 'refused' | 'allowed'): readonly Road[] {
  const kind = kindOf(statement.sql);
  if (sort === 'allowed') {
    if (kind === 'other') return [];
    // A twin knows of no step before the statement.
    if (statement.expect.sameAs !== null) return ['explain'];
    if (kind === 'change') return ['prepare'];
    if (isTold(statement.sql)) return ['explain', 'prepare'];
    return standsOnTables(statement.sql) ? ['view', 'explain', 'prepare'] : ['explain', 'prepare'];
  }
  // What fails as it runs does not where it is not run.
  if (statement.expect.denied === null || (kind === 'change' && statement.expect.denied.length === 0)) {
    return ['second', 'first'];
  }
  // Who makes a view binds it: a superuser would do what the case looks for afterwards.
  const views = kind === 'query' && statement.expect.state.length === 0;
  return ROADS.filter((road) => (road !== 'view' || views) && (road !== 'temporary table' || kind === 'query'));
}

/** A view on no table, or on a common table expression, has to be granted itself, and so has one on too many views. */
function standsOnTables(sql: string): boolean {
  const tokens = tokensOf(sql) ?? [];
  if (tokens.some(({ value }) => value === 'with' || DEEPEST.has(value))) return false;
  return tokens.some((token, i) => {
    const [name, after] = [tokens[i + 1], tokens[i + 2]];
    if (token.type !== 'word' || (token.value !== 'from' && token.value !== 'join')) return false;
    return (name?.type === 'word' || name?.type === 'quoted') && after?.text !== '(';
  });
}

/** What is told by its own place in the statement: in a view or a text it is refused (docs/sql-coverage.md). */
const TOLD = /\b(information_schema|duckdb_\w+\s*\(|sv_secret|sv8)/i;

function isTold(sql: string): boolean {
  return TOLD.test(sql);
}

/** Views of the fixtures that are as deep as views may be. */
const DEEPEST = new Set(['v16']);

function planOf(statement: Statement, sort: 'refused' | 'allowed', roads: readonly Road[], random: Random): Plan {
  const kind = kindOf(statement.sql);
  const several = (list: readonly string[], most: number): string[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => one(random, list));
  const road = roads.length > 0 && random() < 0.5 ? one(random, roads) : null;
  // What is in a subquery has no order.
  const wrappable = kind === 'query' && !statement.expect.ordered;
  const wraps = wrappable ? several(Object.keys(OF_QUERY), 2) : [];
  const texts = several(Object.keys(OF_TEXT), 3);
  return {
    // Nobody makes a view of a text.
    wraps:
      road === 'view' || (sort === 'allowed' && isTold(statement.sql))
        ? wraps.filter((name) => name !== 'text')
        : wraps,
    // What is made has its name in the letters in which it is written.
    texts: texts.filter((name) => !keeps(statement.sql, sort, kind).has(name)),
    road,
  };
}

/** Disguises that change what a statement is: a name that it makes, and the one end that the administration dialect takes. */
function keeps(sql: string, sort: 'refused' | 'allowed', kind: string): ReadonlySet<string> {
  const administers = /^\s*(create|drop)\s+(or\s+replace\s+)?secure\s/i.test(sql);
  return new Set([...(sort === 'allowed' && kind === 'other' ? ['letters'] : []), ...(administers ? ['ends'] : [])]);
}

/** The steps that a statement in disguise takes. `roads`: those that are open to it. */
function disguised(
  statement: Statement,
  sort: 'refused' | 'allowed',
  roads: readonly Road[],
  random: Random,
  nth: number,
): Step[] {
  const { wraps, texts, road } = planOf(statement, sort, roads, random);
  const wrapped = wraps.reduce((sql, name) => OF_QUERY[name]?.(sql) ?? sql, statement.sql);
  // Nothing stands around a statement that has its end in it.
  const inner = texts.filter((name) => name !== 'ends');
  const changed = inner.reduce((sql, name) => OF_TEXT[name]?.(sql, random) ?? sql, wrapped);
  const ended = road === null && inner.length < texts.length ? (OF_TEXT.ends?.(changed, random) ?? changed) : changed;
  return stepsOf(statement, ended, expectationOf(statement.expect, sort), road, nth);
}

function expectationOf(original: Expectation, sort: 'refused' | 'allowed'): Expectation {
  if (sort === 'allowed') return { ...original, columns: null, types: null };
  return { ...(original.denied === null ? REFUSED : DENIED), state: original.state };
}

function stepsOf(statement: Statement, sql: string, expect: Expectation, road: Road | null, nth: number): Step[] {
  const by = (as: string[], text: string, of: Expectation): Step => ({ ...statement, as, sql: text, expect: of });
  const own = (text: string, of = expect): Step => by(statement.as, text, of);
  const allowed = expect.denied === null && !expect.refused;
  const name = `disguise_${nth}`;
  /** Of what is not there, because it was refused. */
  const gone = allowed ? expect : REFUSED;
  switch (road) {
    case null:
      return [own(sql)];
    case 'view':
      // Where the superuser gets no view of it, there is none to read.
      return [by(['root'], `CREATE VIEW ${name} AS ${sql}`, ANYTHING), own(`SELECT * FROM ${name}`, gone)];
    case 'explain':
      return [own(`EXPLAIN ${sql}`, allowed ? ALLOWED : expect)];
    case 'explain analyze':
      return [own(`EXPLAIN ANALYZE ${sql}`)];
    case 'prepare':
      return [own(`PREPARE ${name} AS ${sql}`, allowed ? ALLOWED : expect), own(`EXECUTE ${name}`, gone)];
    case 'temporary table':
      return [own(`CREATE TEMP TABLE ${name} AS ${sql}`)];
    case 'second':
      return [own(`SELECT 1; ${sql}`)];
    case 'first':
      return [own(`${sql}\n; SELECT 1`)];
  }
}

/**
 * A case in so many disguises. Those of a statement that may change something each start anew, and so do those of a case
 * of several steps, each of which is in disguise; the others follow one another.
 */
export function disguisedCase(original: PolicyCase, sort: Sort, count: number, random: Random): PolicyCase {
  const runs = original.runs.flatMap((steps) => {
    const all = Array.from({ length: count }, (_, i) => steps.flatMap((step) => stepIn(step, sort, random, i)));
    const [first] = steps;
    const follows = sort === 'refused' || (sort === 'allowed' && kindOf(first?.sql ?? '') === 'query');
    return follows ? [all.flat()] : all;
  });
  return { ...original, waits: null, runs };
}

function stepIn(step: Step, sort: Sort, random: Random, nth: number): Step[] {
  if (step.kind === 'do') return [step];
  if (sort !== 'steps') return disguised(step, sort, roadsOf(step, sort), random, nth);
  // In a session of several steps a statement stays where it is.
  const own = sortOfStep(step);
  return own === null ? [step] : disguised(step, own, [], random, nth);
}
