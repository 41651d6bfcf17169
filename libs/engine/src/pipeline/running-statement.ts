import { DuckDBDataChunk, DuckDBResult, DuckDBType, ResultReturnType } from '@duckdb/node-api';
import { DomainError } from '@gadwall/rbac';
import { Description } from '@gadwall/rewriters';

/** A column of an answer: names repeat as the engine gives them. */
export interface ResultColumn {
  name: string;
  type: DuckDBType;
}

/** What an admitted statement gives, chunk by chunk; `close` must be called however it ends. */
export interface RunningStatement {
  kind: string;
  description: Description;
  /** None for a statement that gives no rows. */
  columns(): ResultColumn[];
  /** Rows changed, for statements that change rows; else null. */
  affected: number | null;
  /** The next chunk; null at the end. The transaction of a query ends with its rows, a write is committed before them. */
  next(): Promise<DuckDBDataChunk | null>;
  /** Ends the statement: what was not committed is rolled back, the connection goes back when the engine has returned. */
  close(): Promise<void>;
}

/** The description of what touches no object. */
export const NOTHING_TOUCHED: Description = {
  kind: 'TRANSACTION',
  governable: false,
  objects: [],
  functions: [],
  settings: [],
  files: [],
  macros: [],
  secureViews: [],
  findings: [],
};

/** The answer of a statement that gives no rows and changes none. */
export const NO_ROWS: Pick<RunningStatement, 'columns' | 'affected' | 'next'> = {
  columns: () => [],
  affected: null,
  next: () => Promise.resolve(null),
};

export function columnsOf(result: DuckDBResult): ResultColumn[] {
  if (result.returnType !== ResultReturnType.QUERY_RESULT) return [];
  return Array.from({ length: result.columnCount }, (_, i) => ({
    name: result.columnName(i),
    type: result.columnType(i),
  }));
}

/**
 * The next chunk; null at the end. An error among the rows looks like their end to the client library: the result has
 * turned invalid then, and its text is not to be had.
 *
 * @throws DomainError `sql_error`
 */
export async function fetchChunk(result: DuckDBResult): Promise<DuckDBDataChunk | null> {
  const chunk = await result.fetchChunk();
  if (chunk && chunk.rowCount > 0) return chunk;
  if (result.returnType === ResultReturnType.INVALID) {
    throw new DomainError('sql_error', { detail: 'the statement failed while its rows were read' });
  }
  return null;
}

/** Reads the number of changed rows that the engine gives as the only value of a result. */
export async function affectedRows(result: DuckDBResult): Promise<number> {
  let count = 0;
  for (let chunk = await fetchChunk(result); chunk !== null; chunk = await fetchChunk(result)) {
    const [value] = chunk.getColumnValues(0);
    if (typeof value === 'bigint' || typeof value === 'number') count += Number(value);
  }
  return count;
}

/** Rows that a statement has written, of which its answer has one each. */
export async function checkedRows(result: DuckDBResult): Promise<number> {
  let count = 0;
  for (let chunk = await fetchChunk(result); chunk !== null; chunk = await fetchChunk(result)) count += chunk.rowCount;
  return count;
}
