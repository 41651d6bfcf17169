import type { Fixture } from '../fixture';
import type { Cell } from '../source';

export const TAGS = [
  'grants',
  'columns',
  'rows',
  'listings',
  'views',
  'files',
  'writes',
  'sessions',
  'side-channel',
  'metadata',
  'settings',
] as const;

export type Tag = (typeof TAGS)[number];

/** What must be true of the answer to a statement; all that is given must hold. */
export interface Expectation {
  allowed: boolean;
  rows: Cell[][] | null;
  ordered: boolean;
  /** Rows given. */
  count: number | null;
  /** Rows changed. */
  affected: number | null;
  columns: string[] | null;
  types: string[] | null;
  /** The name of a twin. */
  sameAs: string | null;
  /** Empty = whatever the reason. */
  denied: string[] | null;
  /** Empty = whatever the error. */
  error: string | null;
  refused: boolean;
  contained: boolean;
  anyOf: Expectation[];
  /** Asked by a superuser afterwards. */
  state: { sql: string; rows: Cell[][]; ordered: boolean }[];
}

/** A statement by each of some principals, or a change of policy by a superuser. */
export type Step =
  | { kind: 'statement'; as: string[]; sql: string; expect: Expectation; line: number }
  | { kind: 'do'; sql: string; line: number };

export interface PolicyCase {
  file: string;
  line: number;
  fixture: Fixture;
  id: string | null;
  name: string;
  tags: Tag[];
  /** Why it cannot hold yet. */
  waits: string | null;
  /** Secrets of the fixture that its answers may contain. */
  reveals: string[];
  /** Each is run from the start: one for each principal of a case that names several. */
  runs: Step[][];
}

/** How a case is called where people read it. */
export function titleOf({ id, name }: Pick<PolicyCase, 'id' | 'name'>): string {
  return id === null ? name : `${id} ${name}`;
}
