import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { quoteIdentifier, quoteLiteral } from '@gadwall/rewriters';
import functions from '../../libs/rewriters/src/classification/functions.json';
import tableFunctions from '../../libs/rewriters/src/classification/table-functions.json';

/**
 * Every function that is classified as pure is called, with arguments that name a file, an address, a table, a variable and
 * a query, in two engines that differ only in whether these are there. A function that looks gives itself away.
 */
const SECRET = 'k9secret';
/** What stands where a function takes anything, or a text, if it gives no value for the texts that are looked for. */
const SHAPES = [
  `[1, 2]`,
  `2`,
  `'2'`,
  `'{"a": [1]}'`,
  `'day'`,
  `'1001'`,
  `{'a': 1}`,
  `MAP {'a': 1}`,
  `'a'::ENUM('a', 'b')`,
  `DATE '2024-02-03'`,
];

/** Arguments of functions that are particular about theirs; `$` is a text that is looked for. */
const EXAMPLES: Readonly<Record<string, string>> = {
  map_from_entries: `[{'k': $, 'v': $}]`,
  parse_formatted_bytes: `'1GB'`,
  'like_escape not_like_escape ilike_escape not_ilike_escape': `$, $, 'x'`,
  'list_aggr list_aggregate aggregate array_aggr array_aggregate': `[$, $], 'max'`,
  json_object: `'a', $`,
  'json_transform json_transform_strict from_json from_json_strict': `'{"a": "b"}', '{"a": "VARCHAR"}'`,
  union_extract: `union_value(a := $), 'a'`,
  'union_value struct_pack': `a := $`,
  'struct_contains struct_has struct_indexof struct_position': `ROW($, 'x'), $`,
  struct_extract: `{'a': $}, 'a'`,
  struct_extract_at: `ROW($, 'x'), 1`,
  'struct_insert struct_update': `{'a': 1}, a2 := $`,
  set_bit: `'0101'::BIT, 1, 1`,
  create_sort_key: `$, 'ASC'`,
  'array_cosine_distance array_cosine_similarity array_distance array_dot_product array_inner_product': `[1, 2]::FLOAT[2], [2, 1]::FLOAT[2]`,
  'array_negative_dot_product array_negative_inner_product': `[1, 2]::FLOAT[2], [2, 1]::FLOAT[2]`,
  'acos asin atanh': `0.5`,
  bitstring: `'0101', 8`,
  cardinality: `MAP {'a': $}`,
  'quantile_cont quantile_disc quantile approx_quantile': `1, 0.5`,
  reservoir_quantile: `1, 0.5, 10`,
  generate_subscripts: `[$, $], 1`,
  map_contains_entry: `MAP {'a': $}, 'a', $`,
  'list_bool_or list_bool_and': `[true]`,
};

function exampleOf(name: string): string | null {
  const key = Object.keys(EXAMPLES).find((names) => names.split(' ').includes(name));
  return key === undefined ? null : (EXAMPLES[key] ?? null);
}

interface Overload {
  name: string;
  position: 'scalar' | 'table';
  types: string[];
}

/** A row of duckdb_functions(). */
interface FunctionRow {
  function_name: string;
  function_type: string;
  parameter_types: (string | null)[] | null;
  parameters: unknown[] | null;
  varargs: string | null;
}

interface Call {
  name: string;
  sql: string;
}

interface World {
  instance: DuckDBInstance;
  connection: DuckDBConnection;
}

let folder: string;
let server: Server;
let asked = 0;
let texts: string[];
let overloads: Overload[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gadwall-pure-'));
  server = createServer((_, response) => {
    asked++;
    response.end(SECRET);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  texts = [
    join(folder, 'probe.csv'),
    'probe',
    `http://127.0.0.1:${port}/probe.csv`,
    'SELECT v FROM probe',
    'token',
    'GADWALL_PROBE',
  ];
  overloads = await pureOverloads();
});

afterAll(() => {
  server.close();
  delete process.env.GADWALL_PROBE;
  rmSync(folder, { recursive: true, force: true });
});

async function openWorld(): Promise<World> {
  const instance = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false', threads: '1' });
  const connection = await instance.connect();
  await connection.run('CREATE TABLE other(a INT)');
  return { instance, connection };
}

/** What is looked for in vain in the first world. */
async function fill({ connection }: World): Promise<void> {
  writeFileSync(join(folder, 'probe.csv'), `v\n${SECRET}\n`);
  process.env.GADWALL_PROBE = SECRET;
  await connection.run(`CREATE TABLE probe(v VARCHAR); INSERT INTO probe VALUES ('${SECRET}')`);
  await connection.run(`CREATE SEQUENCE token`);
  await connection.run(`SET VARIABLE token = '${SECRET}'`);
}

async function pureOverloads(): Promise<Overload[]> {
  const { instance, connection } = await openWorld();
  const rows = await connection.runAndReadAll(
    `SELECT DISTINCT function_name, function_type, parameter_types, varargs, parameters FROM duckdb_functions()
     WHERE database_name = 'system'`,
  );
  instance.closeSync();
  return (rows.getRowObjectsJson() as unknown as FunctionRow[]).flatMap((row) => {
    const { function_name: name } = row;
    const table = row.function_type.startsWith('table');
    const classes = (table ? tableFunctions : functions) as Record<string, string>;
    if (classes[name] !== 'pure') return [];
    const given = row.parameter_types ?? [];
    const count = Math.max(given.length, (row.parameters ?? []).length);
    const types = Array.from({ length: count }, (_, i) => given[i] ?? 'ANY');
    if (row.varargs) types.push(row.varargs);
    return [{ name, position: table ? 'table' : 'scalar', types }];
  });
}

/** A value of a type, as SQL; `free` where anything, or a text, can stand. */
function valueOf(type: string, free: string): string {
  if (type.endsWith('[]') || type === 'LIST' || /\[\d+\]$/.test(type)) {
    const inner = type === 'LIST' ? 'ANY' : type.replace(/\[\d*\]$/, '');
    const size = Number(/\[(\d+)\]$/.exec(type)?.[1] ?? 2);
    return `[${Array(size).fill(valueOf(inner, free)).join(', ')}]`;
  }
  if (type.startsWith('LAMBDA')) return free === '2' ? 'lambda x, y: x' : 'lambda x: x IS NULL';
  if (type.startsWith('MAP')) return `MAP {'a': ${free}}`;
  if (type.startsWith('STRUCT') || type === 'ROW') return `{'a': ${free}}`;
  if (type.startsWith('UNION')) return `union_value(a := ${free})`;
  if (/^(VARCHAR|ANY|T|K|V|JSON|ENUM|"NULL"|UNKNOWN)/.test(type) && !/^TIM|^TINY/.test(type)) return free;
  const known = VALUES[type] ?? VALUES[type.replace(/ .*/, '')];
  return known ?? `2::${type.replace(/^DECIMAL$/, 'DECIMAL(10,2)')}`;
}

const VALUES: Readonly<Record<string, string>> = {
  BLOB: `'\\x01'::BLOB`,
  BIT: `'0101'::BIT`,
  BOOLEAN: 'true',
  INTERVAL: `INTERVAL '1' DAY`,
  UUID: `'018d6b80-4f3c-7abc-9564-5b8c656024db'::UUID`,
  DATE: `DATE '2024-02-03'`,
  GEOMETRY: `'POINT (1 2)'::GEOMETRY`,
  TIME: `'04:05:06'::TIME`,
  TIMETZ: `'04:05:06+00'::TIMETZ`,
  TIMESTAMP: `'2024-02-03 04:05:06'::TIMESTAMP`,
  TIMESTAMP_S: `'2024-02-03 04:05:06'::TIMESTAMP_S`,
  TIMESTAMP_MS: `'2024-02-03 04:05:06'::TIMESTAMP_MS`,
  TIMESTAMP_NS: `'2024-02-03 04:05:06'::TIMESTAMP_NS`,
  'TIMESTAMP WITH TIME ZONE': `'2024-02-03 04:05:06+00'::TIMESTAMPTZ`,
  'TIME WITH TIME ZONE': `'04:05:06+00'::TIMETZ`,
};

/** Calls with `first` for the first free argument, and `rest` for the others; of a window function, over a row. */
function callsOf({ name, position, types }: Overload, first: string, rest: string): Call[] {
  const args = types.map((type, i) => valueOf(type, i === 0 ? first : rest)).join(', ');
  const call = `${quoteIdentifier(name)}(${args})`;
  const over = `SELECT ${call} OVER (ORDER BY a) FROM (VALUES (1)) AS one(a)`;
  const texts = position === 'table' ? [`SELECT * FROM ${call} LIMIT 3`] : [`SELECT ${call}`, over];
  return texts.map((sql) => ({ name, sql }));
}

async function outcome({ connection }: World, sql: string): Promise<string> {
  try {
    return JSON.stringify((await connection.runAndReadAll(sql)).getRowsJson());
  } catch (error) {
    return `error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What a function without effects leaves as it was. */
async function stateOf(world: World): Promise<string> {
  const lists = await Promise.all(
    [
      'SELECT name, value FROM duckdb_settings() ORDER BY 1',
      'SELECT * EXCLUDE (estimated_size) FROM duckdb_tables() ORDER BY ALL',
      'SELECT sequence_name, last_value FROM duckdb_sequences()',
      'SELECT * FROM duckdb_variables() ORDER BY ALL',
      'SELECT database_name, path FROM duckdb_databases() ORDER BY 1',
      'SELECT extension_name, loaded FROM duckdb_extensions() ORDER BY 1',
    ].map((sql) => outcome(world, sql)),
  );
  return JSON.stringify([lists, readdirSync(folder), readFileSync(join(folder, 'probe.csv'), 'utf8')]);
}

/** Calls whose outcome tells the two worlds apart, and how many names could be called at all. */
async function compare(calls: readonly Call[]) {
  const absent = await openWorld();
  const without = new Map<string, string>();
  for (const { sql } of calls) without.set(sql, await outcome(absent, sql));
  absent.instance.closeSync();
  const present = await openWorld();
  await fill(present);
  const before = await stateOf(present);
  const told: string[] = [];
  const answered = new Set<string>();
  for (const { name, sql } of calls) {
    const seen = await outcome(present, sql);
    if (!seen.startsWith('error: ')) answered.add(name);
    if (seen !== without.get(sql) || seen.includes(SECRET)) told.push(sql);
  }
  const unchanged = (await stateOf(present)) === before;
  present.instance.closeSync();
  rmSync(join(folder, 'probe.csv'));
  delete process.env.GADWALL_PROBE;
  return { told, answered, unchanged };
}

test('no pure function looks at a file, an address, a table, a variable or the environment, or changes anything', async () => {
  const looked = texts.map(quoteLiteral);
  const plain = await compare(
    overloads.flatMap((one) => looked.flatMap((text) => callsOf(one, text, text).slice(0, 1))),
  );
  const left = overloads.filter(({ name }) => !plain.answered.has(name));
  const shaped = await compare([
    ...left.flatMap((one) =>
      SHAPES.flatMap((first) => [first, '2', looked[0] ?? ''].flatMap((rest) => callsOf(one, first, rest))),
    ),
    ...left.flatMap(({ name }) => {
      const args = exampleOf(name);
      return args === null
        ? []
        : looked.map((text) => ({ name, sql: `SELECT ${name}(${args.replaceAll('$', text)})` }));
    }),
  ]);
  expect([...plain.told, ...shaped.told]).toEqual([]);
  expect([plain.unchanged, shaped.unchanged]).toEqual([true, true]);
  expect(asked).toBe(0);
  const names = new Set(overloads.map(({ name }) => name));
  const mute = [...names].filter((name) => !plain.answered.has(name) && !shaped.answered.has(name));
  process.stdout.write(`${names.size} pure functions; no value of ${mute.join(', ')}\n`);
  expect(mute.length).toBeLessThan(10);
}, 300_000);

test('every name that is classified as pure was called', () => {
  const pure = [...Object.entries(functions), ...Object.entries(tableFunctions)].filter(([, kind]) => kind === 'pure');
  const called = new Set(overloads.map(({ name }) => name));
  expect(pure.map(([name]) => name).filter((name) => !called.has(name))).toEqual([]);
});

test('one that looks is found out', async () => {
  const file = quoteLiteral(texts[0] as string);
  const looking = [
    `SELECT content FROM read_text(${file})`,
    `SELECT count(*) FROM read_csv(${file})`,
    `SELECT * FROM glob(${file})`,
    `SELECT getvariable('token')`,
    `SELECT getenv('GADWALL_PROBE')`,
    `SELECT * FROM query('SELECT v FROM probe')`,
    `SELECT nextval('token')`,
    `SELECT json_execute_serialized_sql(json_serialize_sql('SELECT v FROM probe'))`,
    `SELECT count(*) FROM duckdb_tables()`,
  ];
  const { told, unchanged } = await compare(looking.map((sql) => ({ name: sql, sql })));
  expect(told.sort()).toEqual(looking.filter((sql) => !/getenv|json_execute/.test(sql)).sort());
  expect(unchanged).toBe(false);
});
