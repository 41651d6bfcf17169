/** One database that the engine attaches under the name that statements use. */
export interface CatalogConfig {
  name: string;
  /** A file, or `:memory:`. */
  path: string;
  /** Nothing in it changes once `initSql` has run. */
  readOnly: boolean;
  /** A federated SQLite file, which is always read-only; absent: DuckDB. */
  type?: 'sqlite';
}

export interface EngineConfig {
  /** The first one is the pool's own database; its default schema is `defaultSchema`. */
  catalogs: CatalogConfig[];
  defaultSchema: string;
  /** Files of extensions that are loaded before anything is attached. */
  extensions?: readonly string[];
  /** Run once as the node starts, before the engine is locked: seeds a memory database, prepares a new file. */
  initSql: string | null;
  /** Where the engine may spill; a folder of the node's own. */
  tempDirectory: string;
  /** Threads that work on queries. */
  threads: number;
  /** As DuckDB reads it: `1GB`. */
  memoryLimit: string;
}
