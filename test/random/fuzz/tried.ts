import { jsonValue } from '@gadwall/engine';
import { AccessDenied, DomainError, type EffectiveSet, setDigest, superuserSet } from '@gadwall/rbac';
import { startPipeline, type TestPipeline } from '../../support/pipeline';
import type { Ground } from './ground';

/** ms that the engine may work on a statement. */
export const TIME_LIMIT = 5_000;
/** Of an answer this much is read. */
const MAX_ROWS = 2_000;

/** What stands for all that can be changed, beside rows. */
const STATE = [
  'SELECT database_name, schema_name, sql FROM duckdb_schemas() ORDER BY ALL',
  'SELECT database_name, schema_name, table_name, sql, comment FROM duckdb_tables() WHERE NOT internal ORDER BY ALL',
  'SELECT database_name, schema_name, view_name, sql, comment FROM duckdb_views() WHERE NOT internal ORDER BY ALL',
  'SELECT database_name, schema_name, sequence_name, last_value FROM duckdb_sequences() ORDER BY ALL',
  'SELECT database_name, schema_name, index_name FROM duckdb_indexes() ORDER BY ALL',
  'SELECT database_name, schema_name, type_name FROM duckdb_types() WHERE NOT internal ORDER BY ALL',
  'SELECT database_name, schema_name, function_name FROM duckdb_functions() WHERE NOT internal ORDER BY ALL',
  'SELECT database_name FROM duckdb_databases() ORDER BY ALL',
  'SELECT name, value FROM duckdb_settings() ORDER BY ALL',
];
const TABLES = `
  SELECT format('"{}"."{}"."{}"', database_name, schema_name, replace(table_name, '"', '""')) AS name
  FROM duckdb_tables() WHERE NOT internal ORDER BY ALL`;

/** What became of a statement: its code, and all that its sender was told, as text. */
export interface Tried {
  code: string;
  told: string;
}

/** A catalog in a node's pipeline. */
export class TriedGround {
  private constructor(
    readonly ground: Ground,
    private readonly node: TestPipeline,
  ) {}

  static async open(ground: Ground): Promise<TriedGround> {
    const catalogs = ground.catalogs.map(({ name, readOnly }) => ({ name, path: ':memory:', readOnly }));
    const node = await startPipeline(ground.initSql, { catalogs });
    return new TriedGround(ground, node);
  }

  users(): EffectiveSet[] {
    const { catalogs, reads } = this.ground;
    const own = catalogs.filter(({ readOnly }) => !readOnly).map(({ name }) => name);
    const nobody = { ...superuserSet('nobody'), tenant: 'acme', catalogs: own };
    return [nobody, { ...nobody, username: 'reader', permissions: [reads] }];
  }

  /** Runs a statement as a node does; resolves when the engine has let go of it. */
  async run(set: EffectiveSet, sql: string): Promise<Tried> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    try {
      const running = await this.node.pipeline.start({
        userId: set.username,
        set,
        digest: setDigest(set),
        poolId: 'pool',
        sql,
        parameters: [],
        session: null,
        timeLimit: TIME_LIMIT,
        maxConcurrent: 32,
        assertCurrent: () => undefined,
        renew: () => Promise.reject(new DomainError('stale')),
        onReleased: release,
      });
      const rows: unknown[] = [];
      try {
        for (let chunk = await running.next(); chunk !== null && rows.length < MAX_ROWS; chunk = await running.next())
          rows.push(...chunk.getRows().map((row) => row.map(jsonValue)));
      } finally {
        await running.close();
      }
      return { code: 'ok', told: JSON.stringify([running.columns().map(({ name }) => name), rows]) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const objects = error instanceof AccessDenied ? error.objects : [];
      return { code: error.code, told: JSON.stringify([error.message, error.hint, objects]) };
    } finally {
      await released;
    }
  }

  /** All that is in the catalog, as a text: two are the same when nothing was changed between them. */
  async state(): Promise<string> {
    const connection = await this.node.engine.connect();
    try {
      const parts: unknown[] = [];
      for (const sql of STATE) parts.push(await connection.rows(sql));
      const tables = await connection.rows(TABLES);
      for (const { name } of tables as { name: string }[]) {
        parts.push(name, await connection.rows(`SELECT count(*), bit_xor(hash(t)) FROM ${name} t`));
      }
      return JSON.stringify(parts, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    } finally {
      connection.close();
    }
  }

  close(): Promise<void> {
    return this.node.close();
  }
}
