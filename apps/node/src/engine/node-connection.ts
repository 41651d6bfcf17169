import { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';

const SERIALIZE_PLAN = `SELECT strlen(p), CASE WHEN strlen(p) <= $2 THEN p END
  FROM (SELECT json_serialize_plan($1::VARCHAR, optimize := false) AS p)`;
const SERIALIZE_SQL = `SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)`;

/** Bytes of a plan that the node reads; over it the statement is refused (DESIGN invariant 16). */
const MAX_PLAN_BYTES = 4 * 1024 * 1024;
/** Prepared statements that one connection keeps. */
const MAX_PREPARED = 200;

/**
 * One connection of the engine, used by one statement at a time. Every call is asynchronous: what the engine does inside
 * `start()` would run on the node's only JS thread.
 */
export class NodeConnection {
  private readonly prepared = new LRUCache<string, DuckDBPreparedStatement>({
    max: MAX_PREPARED,
    dispose: (statement) => statement.destroySync(),
  });

  private constructor(
    private readonly connection: DuckDBConnection,
    private readonly planner: DuckDBPreparedStatement,
    private readonly parser: DuckDBPreparedStatement,
  ) {}

  static async open(connection: DuckDBConnection, setup: readonly string[]): Promise<NodeConnection> {
    for (const sql of setup) await connection.run(sql);
    const planner = await connection.prepare(SERIALIZE_PLAN);
    const parser = await connection.prepare(SERIALIZE_SQL);
    return new NodeConnection(connection, planner, parser);
  }

  /** The bound, unoptimized plan as JSON text; null when it is larger than the node reads. Errors are in the text. */
  async plan(text: string): Promise<string | null> {
    this.planner.bindVarchar(1, text);
    this.planner.bindBigInt(2, BigInt(MAX_PLAN_BYTES));
    const [row] = (await this.planner.runAndReadAll()).getRowsJS();
    return (row?.[1] as string | null | undefined) ?? null;
  }

  /** The syntax tree of a SELECT-shaped text as JSON text; nothing is bound, no argument runs. */
  async parse(text: string): Promise<string> {
    this.parser.bindVarchar(1, text);
    const [row] = (await this.parser.runAndReadAll()).getRowsJS();
    return row?.[0] as string;
  }

  /** Starts a statement and resolves when it is bound and has its snapshot; rows follow as they are fetched. */
  stream(text: string): Promise<DuckDBResult> {
    return this.connection.stream(text);
  }

  /** As `stream`, with the statement prepared once on this connection. */
  async streamPrepared(text: string): Promise<DuckDBResult> {
    let statement = this.prepared.get(text);
    if (!statement) {
      statement = await this.connection.prepare(text);
      this.prepared.set(text, statement);
    }
    return statement.stream();
  }

  /** Forgets prepared statements: what they were folded with (settings, variables) has changed. */
  forgetPrepared(): void {
    this.prepared.clear();
  }

  async run(text: string): Promise<void> {
    await this.connection.run(text);
  }

  /** Rows of a query of the node's own. */
  async rows(text: string): Promise<Record<string, unknown>[]> {
    return (await this.connection.runAndReadAll(text)).getRowObjectsJS();
  }

  interrupt(): void {
    this.connection.interrupt();
  }

  close(): void {
    this.prepared.clear();
    this.connection.disconnectSync();
  }
}
