import { DuckDBInstance } from '@duckdb/node-api';
import { classOfFunction, classOfPragma, classOfSetting, isDescribableOperator, mayBeAlias } from '@gadwall/rewriters';
import functions from '../../libs/rewriters/src/classification/functions.json';
import planOperators from '../../libs/rewriters/src/classification/plan-operators.json';
import pragmas from '../../libs/rewriters/src/classification/pragmas.json';
import settings from '../../libs/rewriters/src/classification/settings.json';
import tableFunctions from '../../libs/rewriters/src/classification/table-functions.json';
import types from '../../libs/rewriters/src/classification/types.json';

/**
 * The pinned engine's own lists against our classification: an upgrade that brings a name fails here, and cannot widen
 * anything in silence.
 */
let instance: DuckDBInstance;
let names: (sql: string) => Promise<string[]>;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  names = async (sql) => (await connection.runAndReadAll(sql)).getRows().map(([name]) => String(name));
});

afterAll(() => instance.closeSync());

const ofType = (types: string) =>
  names(`SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN (${types}) ORDER BY 1`);

test('the engine is the one that was classified', async () => {
  expect(await names('SELECT version()')).toEqual(['v1.5.5']);
});

test('every scalar function, operator, macro and aggregate has a class, and no other name has one', async () => {
  expect(Object.keys(functions).sort()).toEqual((await ofType(`'scalar', 'macro', 'aggregate'`)).sort());
});

test('every table function and table macro has a class', async () => {
  expect(Object.keys(tableFunctions).sort()).toEqual((await ofType(`'table', 'table_macro'`)).sort());
});

test('every type of the engine is known as one', async () => {
  const known = await names('SELECT DISTINCT lower(type_name) FROM duckdb_types()');
  expect(types).toEqual(known.sort());
});

test('every pragma has a class', async () => {
  expect(Object.keys(pragmas).sort()).toEqual((await ofType(`'pragma'`)).sort());
  expect(classOfPragma('enable_profiling')).toBe('refused');
});

test('every setting has a class', async () => {
  expect(Object.keys(settings).sort()).toEqual((await names('SELECT name FROM duckdb_settings()')).sort());
});

test('only four settings are open to a session', () => {
  const open = Object.entries(settings).filter(([, value]) => value === 'session');
  expect(open.map(([name]) => name).sort()).toEqual(['Calendar', 'TimeZone', 'schema', 'search_path']);
  expect(classOfSetting('TIMEZONE')).toBe('session');
});

test('functions that the engine calls volatile or with side effects are not classified as pure', async () => {
  const volatile = await names(
    `SELECT DISTINCT function_name FROM duckdb_functions()
     WHERE function_type = 'scalar' AND (stability <> 'CONSISTENT' OR has_side_effects)`,
  );
  expect(volatile.filter((name) => classOfFunction(name, 'scalar') === 'pure')).toEqual([]);
});

test('no function that is classified as pure is a macro over a listing', async () => {
  const macros = await names(
    `SELECT DISTINCT function_name FROM duckdb_functions()
     WHERE function_type = 'macro' AND macro_definition ILIKE '%FROM %'`,
  );
  expect(macros.filter((name) => classOfFunction(name, 'scalar') === 'pure')).toEqual([]);
});

test('no table function that is pure reads a file or lists objects', () => {
  const pure = Object.entries(tableFunctions).filter(([, value]) => value === 'pure');
  expect(pure.map(([name]) => name)).toEqual([
    'duckdb_keywords',
    'generate_series',
    'icu_calendar_names',
    'json_each',
    'json_tree',
    'pg_timezone_names',
    'range',
    'repeat',
    'repeat_row',
    'test_all_types',
    'unnest',
  ]);
});

test('plan operators are an allow list', () => {
  expect(isDescribableOperator('LOGICAL_GET')).toBe(true);
  expect(isDescribableOperator('LOGICAL_EXTENSION_OPERATOR')).toBe(false);
  expect(isDescribableOperator('LOGICAL_OF_TOMORROW')).toBe(false);
  expect(Object.values(planOperators)).toEqual(expect.arrayContaining(['read', 'change', 'refused']));
});

describe('statement kinds', () => {
  // What the client library knows of: each is admitted or refused by name, none is unknown to the screen.
  const KINDS: Record<string, string> = {
    SELECT: 'SELECT 1',
    INSERT: 'INSERT INTO t VALUES (1)',
    UPDATE: 'UPDATE t SET a = 1',
    DELETE: 'DELETE FROM t',
    PREPARE: 'PREPARE p AS SELECT 1',
    CREATE: 'CREATE TABLE t(a INT)',
    EXECUTE: 'EXECUTE p',
    ALTER: 'ALTER TABLE t ADD COLUMN b INT',
    TRANSACTION: 'BEGIN',
    COPY: "COPY t TO 'x'",
    ANALYZE: 'ANALYZE',
    VARIABLE_SET: 'SET x = 1',
    EXPLAIN: 'EXPLAIN SELECT 1',
    DROP: 'DROP TABLE t',
    EXPORT: "EXPORT DATABASE 'x'",
    PRAGMA: 'PRAGMA version',
    VACUUM: 'VACUUM',
    CALL: 'CALL range(1)',
    SET: 'SET x = 1',
    LOAD: 'LOAD x',
    ATTACH: "ATTACH 'x'",
    DETACH: 'DETACH x',
    MERGE_INTO: 'MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE',
    UPDATE_EXTENSIONS: 'UPDATE EXTENSIONS',
    COPY_DATABASE: 'COPY FROM DATABASE a TO b',
  };
  // Not statements that a text can be: markers of the engine and of relations.
  const NOT_TEXT = ['INVALID', 'CREATE_FUNC', 'RELATION', 'EXTENSION', 'LOGICAL_PLAN', 'MULTI'];

  test('are all known', async () => {
    const { StatementType } = await import('@duckdb/node-api');
    const known = Object.keys(StatementType).filter((name) => Number.isNaN(Number(name)));
    expect(known.filter((name) => !(name in KINDS) && !NOT_TEXT.includes(name))).toEqual([]);
  });
});

test('no word that the engine keeps for itself is taken for an alias', async () => {
  const reserved = await names(
    "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')",
  );
  expect(reserved.filter(mayBeAlias)).toEqual([]);
  const others = await names(
    "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category NOT IN ('reserved', 'type_function')",
  );
  expect(others.filter((word) => !mayBeAlias(word))).toEqual([]);
});
