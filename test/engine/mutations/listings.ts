import { broken, type Mutation } from './pieces';

const NARROWED = `(system.main.lower("database_name") = 'lake' AND system.main.lower("schema_name") = 'raw')`;

const FUNCTIONS = broken('SELECT table_name, estimated_size FROM duckdb_tables()', {
  'listing as it is': [null, 'SELECT table_name, estimated_size FROM duckdb_tables()'],
  'listing extended': [NARROWED, `${NARROWED} OR true`],
  'listing of another schema': ["= 'raw'", "= 'twin'"],
  'listing of a whole catalog': [NARROWED, `(system.main.lower("database_name") = 'lake')`],
  'listing by its mark alone': [
    /* the names of own temporary objects go too */ ` AND (system.main.lower("database_name") = 'temp'`,
    ` AND (true`,
  ],
  'listing that shows what is hidden of it': [
    `CASE WHEN '<n>:m' IS NOT NULL THEN CAST(NULL AS BIGINT) END AS "estimated_size"`,
    `estimated_size AS "estimated_size"`,
  ],
  'listing that shows definitions': [`, CASE WHEN '<n>:m' IS NOT NULL THEN CAST(NULL AS VARCHAR) END AS "sql"`, ''],
  'listing without its barrier': [' OFFSET 0)', ')'],
  'listing with a limit': [' OFFSET 0)', ' LIMIT 1 OFFSET 0)'],
  'listing with the mark of another text': ["'<n>:r'", "'AAAAAAAAAAAAAAAA:r'"],
  'listing joined with itself as it is': [
    ' AS "duckdb_tables"',
    ' AS "duckdb_tables" ANTI JOIN duckdb_tables() b USING (schema_name)',
  ],
  'listing in a subquery as it is': ['SELECT table_name', 'SELECT (SELECT count(*) FROM duckdb_tables()), table_name'],
  'another listing in its place': [null, 'SELECT table_name, 1 FROM duckdb_columns()'],
  'listing that is not answered': [null, 'SELECT index_name, 1 FROM duckdb_indexes()', 'accesses'],
});

const VIEWS = broken('SELECT table_name FROM information_schema.tables', {
  'standard listing as it is': [null, 'SELECT table_name FROM information_schema.tables'],
  'standard listing of the system': [null, 'SELECT table_name FROM system.information_schema.tables'],
  'standard listing extended': [`= 'temp'`, `= 'temp' OR true`],
});

export const LISTINGS: readonly Mutation[] = [...FUNCTIONS, ...VIEWS];
