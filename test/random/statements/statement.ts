import * as fc from 'fast-check';
import { type Query, query, queryOfNothing, spelling, type Spelling } from './query';

const WRITES = [
  'insert',
  'insert-values',
  'insert-with',
  'update',
  'update-where',
  'update-from',
  'delete',
  'delete-where',
  'delete-using',
  'truncate',
  'merge',
] as const;

const SCHEMES = [
  'create-table',
  'create-or-replace-table',
  'create-table-as',
  'create-temporary-table-as',
  'create-table-of-type',
  'create-view',
  'create-or-replace-view',
  'create-sequence',
  'create-type',
  'create-index',
  'create-schema',
  'drop-table',
  'drop-view',
  'drop-sequence',
  'drop-type',
  'drop-schema',
  'drop-missing',
  'add-column',
  'add-column-with-default',
  'rename-column',
  'rename-table',
  'change-type',
  'set-not-null',
  'set-default',
  'comment',
] as const;

/** More often than the others: what holds for a whole schema shows in these alone. */
const SCHEMA_WIDE = ['create-schema', 'drop-schema', 'drop-schema'] as const;

/** What a statement is made of; `pick` chooses its target. */
export type Statement =
  | { kind: 'query'; query: Query; explain: boolean }
  | {
      kind: 'write';
      form: (typeof WRITES)[number];
      pick: number;
      spelling: Spelling;
      query: Query;
      returning: boolean;
      explain: boolean;
    }
  | { kind: 'scheme'; form: (typeof SCHEMES)[number]; pick: number; spelling: Spelling; query: Query };

const pick = fc.nat({ max: 99 });
const explain = fc.constantFrom(false, false, false, true);

export const statement: fc.Arbitrary<Statement> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('query' as const), query, explain }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('query' as const), query: queryOfNothing, explain: fc.constant(false) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      form: fc.constantFrom(...WRITES),
      pick,
      spelling,
      query,
      returning: fc.boolean(),
      explain,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('scheme' as const),
      form: fc.constantFrom(...SCHEMES, ...SCHEMA_WIDE),
      pick,
      spelling,
      query,
    }),
  },
);
