import { StatementKind } from '../description';

/** How the pipeline treats a statement kind after the screen. */
export type Shape = 'select' | 'plain' | 'explain' | 'view' | 'transaction' | 'show' | 'pragma' | 'pivot';

export interface AdmittedKind {
  kind: StatementKind;
  shape: Shape;
  /** Refused to tenant users whatever their grants (seed 000, "Functions, settings and statement types"). */
  superuserOnly?: boolean;
}

/** The statement kinds that the node knows, by leading keyword; every other one is refused to everybody. */
export const ADMITTED_KINDS: Readonly<Record<string, AdmittedKind>> = {
  select: { kind: 'SELECT', shape: 'select' },
  from: { kind: 'SELECT', shape: 'select' },
  values: { kind: 'SELECT', shape: 'select' },
  table: { kind: 'SELECT', shape: 'select' },
  with: { kind: 'SELECT', shape: 'select' },
  '(': { kind: 'SELECT', shape: 'select' },
  unpivot: { kind: 'SELECT', shape: 'select' },
  pivot: { kind: 'SELECT', shape: 'pivot' },
  insert: { kind: 'INSERT', shape: 'plain' },
  update: { kind: 'UPDATE', shape: 'plain' },
  delete: { kind: 'DELETE', shape: 'plain' },
  truncate: { kind: 'DELETE', shape: 'plain' },
  merge: { kind: 'MERGE', shape: 'plain' },
  create: { kind: 'CREATE', shape: 'plain' },
  drop: { kind: 'DROP', shape: 'plain' },
  alter: { kind: 'ALTER', shape: 'plain' },
  comment: { kind: 'COMMENT', shape: 'plain' },
  copy: { kind: 'COPY', shape: 'plain' },
  set: { kind: 'SET', shape: 'plain' },
  reset: { kind: 'SET', shape: 'plain' },
  use: { kind: 'USE', shape: 'plain' },
  begin: { kind: 'TRANSACTION', shape: 'transaction' },
  start: { kind: 'TRANSACTION', shape: 'transaction' },
  commit: { kind: 'TRANSACTION', shape: 'transaction' },
  end: { kind: 'TRANSACTION', shape: 'transaction' },
  rollback: { kind: 'TRANSACTION', shape: 'transaction' },
  abort: { kind: 'TRANSACTION', shape: 'transaction' },
  explain: { kind: 'EXPLAIN', shape: 'explain' },
  show: { kind: 'SELECT', shape: 'show' },
  describe: { kind: 'SELECT', shape: 'show' },
  desc: { kind: 'SELECT', shape: 'show' },
  summarize: { kind: 'SELECT', shape: 'show' },
  pragma: { kind: 'CALL', shape: 'pragma' },
  call: { kind: 'CALL', shape: 'plain' },
  attach: { kind: 'ATTACH', shape: 'plain', superuserOnly: true },
  detach: { kind: 'DETACH', shape: 'plain', superuserOnly: true },
  vacuum: { kind: 'VACUUM', shape: 'plain', superuserOnly: true },
  analyze: { kind: 'VACUUM', shape: 'plain', superuserOnly: true },
  checkpoint: { kind: 'CHECKPOINT', shape: 'plain', superuserOnly: true },
};

/** What CREATE, DROP and ALTER may name; `superuser` marks what no tenant user may touch. */
export const OBJECT_WORDS: Readonly<Record<string, 'tenant' | 'superuser'>> = {
  table: 'tenant',
  view: 'tenant',
  schema: 'tenant',
  sequence: 'tenant',
  type: 'tenant',
  index: 'tenant',
  macro: 'superuser',
  function: 'superuser',
};

/** Words between CREATE and the kind of object that change nothing of what is judged. */
export const CREATE_MODIFIERS: ReadonlySet<string> = new Set(['or', 'replace', 'temp', 'temporary', 'unique']);

/**
 * Words that may stand before "(" without being a call: grammar and type names. Only used where no syntax tree can be
 * had (DML, DDL); a word that is also a function of the engine is classified as that function first.
 */
export const NOT_CALLS: ReadonlySet<string> = new Set(
  `all and any array as asof between bigint binary bit blob bool boolean by case cast char character check coalesce columns
  conflict constraint cross cube date datetime dec decimal default distinct do double else end enum except exclude
  exists extract filter float from full generated group grouping having ilike in inner insert int integer intersect
  interval into is join key lateral left like limit list materialized not nothing null numeric offset on or order outer
  over overlay partition pivot position primary qualify real references rename replace returning right rollup row select set
  sets smallint some struct substring table text then time timestamp tinyint trim try_cast union unique unnest unpivot using
  values varchar when where window with`.split(/\s+/),
);

const GRAMMAR = new Set(
  `select from where group by having order limit offset set values then else when case and or not in like ilike between
  is distinct all any returning using join qualify default check filter over partition returns do update delete insert
  merge matched end asc desc collate escape at add alter column type rename to drop if constraint call execute prepare
  explain analyze copy pragma show describe summarize positional asof natural full semi anti glob similar isnull notnull
  sample tablesample percent nulls first last only within pivot unpivot overlaps try comment use reset vacuum checkpoint
  force attach detach for no nothing current row rows range groups unbounded preceding following ties others`.split(
    /\s+/,
  ),
);

/** A word of the grammar, as far as it matters where no syntax tree can be had. */
export function isGrammarWord(word: string): boolean {
  return NOT_CALLS.has(word) || GRAMMAR.has(word);
}
