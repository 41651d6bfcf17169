import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';

/** The one thing that readers and projections need of a connection. Names in `text` carry no schema: a replay relies on it. */
export interface Queryable {
  query<R>(text: string, values?: unknown[]): Promise<{ rows: R[]; rowCount: number | null }>;
}

/** A pool (each query on any connection) or one client as a `Queryable`. */
export function queryable(connection: Pool | PoolClient): Queryable {
  return {
    async query<R>(text: string, values?: unknown[]) {
      return answerOf<R>(await connection.query<QueryResultRow>(text, values));
    },
  };
}

function answerOf<R>({ rows, rowCount }: QueryResult<QueryResultRow>): { rows: R[]; rowCount: number | null } {
  return { rows: rows as R[], rowCount };
}

/**
 * Runs `use` in a transaction of its own on one connection: committed when it returns, rolled back when it throws.
 *
 * @param begin the statement that opens the transaction
 * @throws what `use` throws, as it is; a database error. Nothing has changed then, unless the connection broke during COMMIT
 */
export async function inTransaction<T>(pool: Pool, begin: string, use: (db: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks while it is checked out fails its query and emits an error besides, which must not end the process.
  const ignore = () => {};
  client.on('error', ignore);
  const connection = queryable(client);
  let open = true;
  let broken = false;
  try {
    await client.query(begin);
    const result = await use({
      query: (text, values) => {
        if (!open) throw new Error('the transaction has ended');
        return connection.query(text, values);
      },
    });
    open = false;
    // COMMIT of a transaction in which a statement failed, even if its error was caught, answers ROLLBACK and no error.
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
    return result;
  } catch (error) {
    open = false;
    broken = !(await client.query('ROLLBACK').then(
      () => true,
      () => false,
    ));
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}
