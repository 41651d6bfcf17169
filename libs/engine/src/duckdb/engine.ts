import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { fold, quoteIdentifier, quoteLiteral, type SessionCatalog } from '@gadwall/rewriters';
import { CatalogConfig, EngineConfig } from './engine-config';
import { NodeConnection } from './node-connection';

/** Settings that a session may change: what `allowed_configs` leaves open in a locked engine. */
const SESSION_SETTINGS = ['TimeZone', 'Calendar', 'search_path', 'schema'];

/** Idle connections kept for statements without a session. */
const MAX_IDLE = 32;

/**
 * The node's one DuckDB instance, hardened before the first statement of a user (DESIGN section 6): no extension is
 * fetched or loaded, no file outside what is attached can be opened, and the configuration is locked.
 */
export class Engine {
  /** What is known of the catalogs that statements may touch. */
  readonly known: Pick<SessionCatalog, 'declared' | 'readOnly' | 'stubs'>;
  private readonly idle: NodeConnection[] = [];

  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly config: EngineConfig,
  ) {
    const named = (catalogs: readonly CatalogConfig[]) => catalogs.map(({ name }) => fold(name));
    const { catalogs } = config;
    this.known = {
      declared: new Set(named(catalogs)),
      readOnly: new Set(named(catalogs.filter(({ readOnly }) => readOnly))),
      // Of a name that nobody can write before it is made.
      stubs: new Map(
        named(catalogs.filter(isStubbed)).map((name) => [name, `stub_${randomBytes(12).toString('hex')}`]),
      ),
    };
  }

  static async open(config: EngineConfig): Promise<Engine> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: String(config.threads),
      memory_limit: config.memoryLimit,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
    });
    const engine = new Engine(instance, config);
    await engine.prepare();
    return engine;
  }

  private async prepare(): Promise<void> {
    const connection = await this.instance.connect();
    const [own] = this.config.catalogs;
    if (!own) throw new Error('an engine needs a database of its own');
    for (const path of this.config.extensions ?? []) await connection.run(`LOAD ${quoteLiteral(path)}`);
    for (const catalog of this.config.catalogs) {
      const { name, path, readOnly } = catalog;
      if (isStubbed(catalog)) await this.attachStubbed(connection, catalog);
      else if (readOnly && path !== ':memory:') await attach(connection, name, path, ' (READ_ONLY)');
      else await attach(connection, name, path === ':memory:' && readOnly ? this.emptySeed(name) : path);
    }
    await connection.run(
      `CREATE SCHEMA IF NOT EXISTS ${quoteIdentifier(own.name)}.${quoteIdentifier(this.config.defaultSchema)}`,
    );
    await connection.run(this.useDefaults());
    // The words of the operator who defined the database or pool; a tenant's admin cannot set them (reference/api.md).
    if (this.config.initSql) await connection.run(this.config.initSql);
    await this.freeze(connection);
    const settings = SESSION_SETTINGS.map(quoteLiteral).join(', ');
    for (const sql of [
      `SET temp_directory = ${quoteLiteral(this.config.tempDirectory)}`,
      // It folds comparisons by what the statistics of whole tables say, hidden rows included: whether what stands beside them
      // fails would tell of those (docs/security.md, "Column and row policies").
      `SET disabled_optimizers = 'statistics_propagation'`,
      `SET allowed_directories = []`,
      `SET enable_external_access = false`,
      `SET allowed_configs = [${settings}]`,
      `SET lock_configuration = true`,
    ]) {
      await connection.run(sql);
    }
    connection.disconnectSync();
  }

  /**
   * Has the engine itself refuse every change of a read-only database from now on, a sequence's too: each node that serves
   * it has a copy of its own, and all answer alike. The engine attaches no database in memory so: the seed is a file.
   */
  private async freeze(connection: DuckDBConnection): Promise<void> {
    const frozen = this.config.catalogs.filter(({ readOnly, path }) => readOnly && path === ':memory:');
    if (frozen.length === 0) return;
    await connection.run('USE memory');
    for (const { name } of frozen) {
      await connection.run(`DETACH ${quoteIdentifier(name)}`);
      await attach(connection, name, this.seedFile(name), ' (READ_ONLY)');
    }
  }

  /** The catalog, and beside it one of empty tables with the same names, columns and types: what it has when a node starts. */
  private async attachStubbed(connection: DuckDBConnection, { name, path, type }: CatalogConfig): Promise<void> {
    await attach(connection, name, path, ` (TYPE ${quoteIdentifier(type ?? '')}, READ_ONLY)`);
    const stub = this.known.stubs.get(fold(name)) ?? '';
    await attach(connection, stub, ':memory:');
    const tables = await connection.runAndReadAll(
      `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ${quoteLiteral(name)}`,
    );
    for (const [schema, table] of tables.getRowsJS() as [string, string][]) {
      const [from, to] = [name, stub].map((catalog) => [catalog, schema, table].map(quoteIdentifier).join('.'));
      await connection.run(`CREATE SCHEMA IF NOT EXISTS ${quoteIdentifier(stub)}.${quoteIdentifier(schema)}`);
      await connection.run(`CREATE TABLE ${to} AS FROM ${from} WITH NO DATA`);
    }
  }

  /** What an earlier life of this node left there is gone. */
  private emptySeed(name: string): string {
    const path = this.seedFile(name);
    for (const file of [path, `${path}.wal`]) rmSync(file, { force: true });
    return path;
  }

  private seedFile(name: string): string {
    const i = this.config.catalogs.findIndex((catalog) => catalog.name === name);
    return join(this.config.tempDirectory, `seed-${i}.duckdb`);
  }

  /** Where a connection looks up names as it is opened. */
  get opened(): { catalog: string; schema: string } {
    return { catalog: this.config.catalogs[0]?.name ?? '', schema: this.config.defaultSchema };
  }

  private useDefaults(): string {
    const { catalog, schema } = this.opened;
    return `USE ${quoteIdentifier(catalog)}.${quoteIdentifier(schema)}`;
  }

  /** A connection for one session, or for one statement. */
  async connect(): Promise<NodeConnection> {
    return NodeConnection.open(await this.instance.connect(), [this.useDefaults()]);
  }

  /** A connection in its first state, checked out alone. */
  async checkOut(): Promise<NodeConnection> {
    return this.idle.pop() ?? (await this.connect());
  }

  /** Takes back a connection that ran nothing but reads and plain DML; any other one is closed. */
  checkIn(connection: NodeConnection, clean: boolean): void {
    if (clean && this.idle.length < MAX_IDLE) this.idle.push(connection);
    else connection.close();
  }

  close(): void {
    for (const connection of this.idle.splice(0)) connection.close();
    this.instance.closeSync();
    for (const { name } of this.config.catalogs) rmSync(this.seedFile(name), { force: true });
  }
}

/** The plan of a scan of it does not name the table. */
function isStubbed({ type }: CatalogConfig): boolean {
  return type === 'sqlite';
}

async function attach(connection: DuckDBConnection, name: string, path: string, options = ''): Promise<void> {
  await connection.run(`ATTACH ${quoteLiteral(path)} AS ${quoteIdentifier(name)}${options}`);
}
