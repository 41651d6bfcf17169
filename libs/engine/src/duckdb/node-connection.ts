import { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';

const PLAN = `json_serialize_plan($1::VARCHAR, skip_null := true, skip_empty := true, optimize := false)`;
const TREE = `json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)`;
/** The engine tells the length first: what is too large never becomes a string of ours. */
const bounded = (name: string) => `CASE WHEN strlen(${name}) <= $2 THEN ${name} END`;
const SERIALIZE_PLAN = `SELECT ${bounded('p')} FROM (SELECT ${PLAN} AS p)`;
const SERIALIZE_TREE = `SELECT ${bounded('t')} FROM (SELECT ${TREE} AS t)`;

/** Bytes of a plan, or a syntax tree, that the node reads; over it the statement is refused (DESIGN invariant 16). */
const MAX_JSON_BYTES = 4 * 1024 * 1024;
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
    private readonly own: OwnStatements,
  ) {}

  static async open(connection: DuckDBConnection, setup: readonly string[]): Promise<NodeConnection> {
    for (const sql of setup) await connection.run(sql);
    const own = {
      plan: await connection.prepare(SERIALIZE_PLAN),
      tree: await connection.prepare(SERIALIZE_TREE),
      begin: await connection.prepare('BEGIN TRANSACTION'),
      commit: await connection.prepare('COMMIT'),
    };
    return new NodeConnection(connection, own);
  }

  /** The bound, unoptimized plan as JSON text; null when it is larger than the node reads. Errors are in the text. */
  plan(text: string): Promise<string | null> {
    return serialized(this.own.plan, text);
  }

  /** The syntax tree of a SELECT-shaped text, likewise; nothing is bound, no argument runs. */
  parse(text: string): Promise<string | null> {
    return serialized(this.own.tree, text);
  }

  async begin(): Promise<void> {
    await this.own.begin.run();
  }

  async commit(): Promise<void> {
    await this.own.commit.run();
  }

  /** Starts a statement and resolves when it is bound and has its snapshot; rows follow as they are fetched. */
  async stream(text: string): Promise<DuckDBResult> {
    // One call of the engine less than the library's own stream(), which would run several statements one by one.
    const statement = await this.connection.prepare(text);
    try {
      return await statement.stream();
    } finally {
      statement.destroySync();
    }
  }

  /** Runs a statement to its end; what it returns is kept by the engine. */
  complete(text: string): Promise<DuckDBResult> {
    return this.connection.run(text);
  }

  /** As `stream`, with the statement prepared once on this connection. */
  async streamPrepared(text: string): Promise<DuckDBResult> {
    return (await this.preparedOf(text)).stream();
  }

  /** As `complete`, likewise. */
  async completePrepared(text: string): Promise<DuckDBResult> {
    return (await this.preparedOf(text)).run();
  }

  private async preparedOf(text: string): Promise<DuckDBPreparedStatement> {
    const known = this.prepared.get(text);
    if (known) return known;
    const statement = await this.connection.prepare(text);
    this.prepared.set(text, statement);
    return statement;
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
    for (const statement of Object.values(this.own)) statement.destroySync();
    this.connection.disconnectSync();
  }
}

type OwnStatements = Record<'plan' | 'tree' | 'begin' | 'commit', DuckDBPreparedStatement>;

/** Asking for plan and tree in one query was tried: the engine works longer on it than on the two apart. */
async function serialized(statement: DuckDBPreparedStatement, text: string): Promise<string | null> {
  statement.bindVarchar(1, text);
  statement.bindBigInt(2, BigInt(MAX_JSON_BYTES));
  const [value] = (await statement.run()).getChunk(0).getColumnValues(0);
  return typeof value === 'string' ? value : null;
}
