import * as fc from 'fast-check';

/** How a name is written: with how many parts where fewer would do, and in which letters. */
export interface Spelling {
  parts: 1 | 2 | 3;
  letters: 'as-is' | 'upper' | 'quoted';
}

/** Something in a FROM list. `pick` chooses from what there is where the statement is rendered. */
export type Source =
  | { kind: 'relation'; pick: number; spelling: Spelling }
  | { kind: 'common'; pick: number }
  | { kind: 'missing'; pick: number }
  | { kind: 'values' }
  | { kind: 'range' }
  | { kind: 'subquery'; query: Query }
  | { kind: 'text'; query: Query }
  | { kind: 'table-text'; pick: number };

const HOWS = ['comma', 'cross', 'inner', 'left', 'full', 'semi', 'anti', 'using', 'asof', 'positional'] as const;

interface Join {
  how: (typeof HOWS)[number] | 'lateral';
  source: Source;
}

const TESTS = ['exists', 'in', 'scalar', 'correlated', 'any', 'array'] as const;

/** A test of a row of the first source. */
export type Condition =
  | { kind: (typeof TESTS)[number]; query: Query; not: boolean }
  | { kind: 'type'; qualified: boolean }
  | { kind: 'both'; left: Condition; right: Condition }
  | { kind: 'plain' };

const SHAPES = ['plain', 'star', 'from', 'distinct', 'grouped', 'windowed', 'qualified', 'ordered', 'having'] as const;

export type Body =
  | { kind: 'select'; shape: (typeof SHAPES)[number]; source: Source; joins: Join[]; where: Condition | null }
  | { kind: 'set'; op: string; left: Query; right: Query }
  | { kind: 'table'; source: Source };

/** A common table expression. `shadows`: it has the name of a table; it may be used or not. */
export interface Common {
  query: Query;
  shadows: number | null;
  form: 'plain' | 'materialized' | 'recursive';
}

/** A query of the columns id, ref and note. */
export interface Query {
  common: Common[];
  body: Body;
}

const pick = fc.nat({ max: 99 });
export const spelling: fc.Arbitrary<Spelling> = fc.record({
  parts: fc.constantFrom(1, 2, 3),
  letters: fc.constantFrom('as-is', 'as-is', 'upper', 'quoted'),
});

/** Nesting, at most: a plan of more is only larger. */
const MAX_DEPTH = 3;
const depth = { maxDepth: MAX_DEPTH, depthIdentifier: 'query', withCrossShrink: true };

const { query: anyQuery } = fc.letrec<{ query: Query; source: Source; condition: Condition; body: Body }>((tie) => ({
  query: fc.record({
    common: fc.oneof(
      depth,
      { weight: 3, arbitrary: fc.constant<Common[]>([]) },
      {
        weight: 2,
        arbitrary: fc.array(
          fc.record<Common>({
            query: tie('query'),
            shadows: fc.option(pick, { freq: 2 }),
            form: fc.constantFrom('plain', 'plain', 'materialized', 'recursive'),
          }),
          { minLength: 1, maxLength: 2 },
        ),
      },
    ),
    body: tie('body'),
  }),
  body: fc.oneof(
    depth,
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('select' as const),
        shape: fc.constantFrom(...SHAPES),
        source: tie('source'),
        joins: fc.array(
          fc.record<Join>({ how: fc.constantFrom(...HOWS, 'lateral', 'lateral'), source: tie('source') }),
          { maxLength: 2 },
        ),
        where: fc.option(tie('condition'), { freq: 2 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('table' as const), source: tie('source') }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('set' as const),
        op: fc.constantFrom('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL', 'UNION BY NAME'),
        left: tie('query'),
        right: tie('query'),
      }),
    },
  ),
  source: fc.oneof(
    depth,
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('relation' as const), pick, spelling }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('common' as const), pick }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'values' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'range' as const }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('table-text' as const), pick }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('subquery' as const), query: tie('query') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('text' as const), query: tie('query') }) },
  ),
  condition: fc.oneof(
    depth,
    { weight: 1, arbitrary: fc.constant({ kind: 'plain' as const }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('type' as const), qualified: fc.boolean() }) },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constantFrom(...TESTS), query: tie('query'), not: fc.boolean() }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('both' as const), left: tie('condition'), right: tie('condition') }),
    },
  ),
}));

export const query = anyQuery;

/** As a query, of which the first source is one that there is not. */
export const queryOfNothing: fc.Arbitrary<Query> = fc.tuple(anyQuery, pick).map(([inner, at]) => {
  const missing = { kind: 'missing' as const, pick: at };
  const where = { kind: 'exists' as const, query: inner, not: false };
  return { common: [], body: { kind: 'select', shape: 'plain', source: missing, joins: [], where } };
});
