import { type Replacement, Token } from '../lexer';
import { CannotGovern } from './govern-reads';
import { condition, Marks, ProtectedTable, rowFilter, writeCheck } from './protected-table';
import { WriteTarget } from './write-target';

/** How the target of a statement that changes rows is governed. */
export interface GovernedTarget {
  target: WriteTarget;
  table: ProtectedTable;
  /** The table's predicates with every column by the target's name in the statement; null: every row. */
  filters: readonly string[] | null;
}

/**
 * Puts the row policies of its target into a statement: UPDATE and DELETE touch admitted rows alone, and what INSERT and
 * UPDATE have written is looked at before anything is committed. The statement then gives one row for each that it wrote.
 *
 * @throws CannotGovern
 */
export function governTarget(
  tokens: readonly Token[],
  { target, table, filters }: GovernedTarget,
  { marks, barrier }: { marks: Marks; barrier: boolean },
  replaced: Map<number, Replacement>,
): void {
  const { verb, where, returning } = target;
  if (returning !== null && table.masks.length > 0) {
    throw new CannotGovern('RETURNING is not supported on a table with masked columns');
  }
  if (verb === 'merge') throw new CannotGovern('MERGE INTO a table under a policy is not supported');
  if (filters === null || table.filters === null) return;
  if (verb === 'truncate') throw new CannotGovern('TRUNCATE would remove rows that are hidden');
  if (verb === 'update' || verb === 'delete') limitRows(tokens, where, returning, filters, marks, barrier, replaced);
  if (verb === 'delete') return;
  if (returning !== null) throw new CannotGovern('RETURNING is not supported where a row policy is checked on write');
  const check = `RETURNING ${writeCheck(table.filters, marks)}`;
  const before = replaced.get(tokens.length)?.text;
  replaced.set(tokens.length, { length: 0, text: before ? `${before} ${check}` : check });
}

function limitRows(
  tokens: readonly Token[],
  where: number | null,
  returning: number | null,
  filters: readonly string[],
  marks: Marks,
  barrier: boolean,
  replaced: Map<number, Replacement>,
): void {
  const end = returning ?? tokens.length;
  if (where === null) {
    replaced.set(end, { length: 0, text: `WHERE ${rowFilter(filters, marks)}` });
    return;
  }
  // What is asked of a row is computed on none that is hidden.
  const open = barrier ? `CASE WHEN ${condition(filters)} THEN (` : '(';
  const close = barrier ? ') ELSE false END' : ')';
  replaced.set(where, { length: 1, text: `WHERE ${rowFilter(filters, marks)} AND ${open}` });
  replaced.set(end, { length: 0, text: close });
}
