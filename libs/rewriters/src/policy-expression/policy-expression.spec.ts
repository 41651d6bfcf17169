import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Json } from '../ast';
import { classOfFunction } from '../classification';
import admitted from './admitted-functions.json';
import {
  boundExpression,
  boundText,
  canonicalText,
  expressionIn,
  Identity,
  parameterised,
  PolicyKind,
  readExpression,
} from '.';

let instance: DuckDBInstance;
let db: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  db = await instance.connect();
  await db.run(`CREATE TABLE t AS SELECT 'Ann' AS name, 7 AS n, 'eu' AS region, {'k': 'deep'} AS s, [1, 2] AS l,
    DATE '2026-01-31' AS day, NULL::VARCHAR AS nothing, 'o''brien' AS "user"`);
  // What would open every policy, were its functions looked up by name alone.
  for (const macro of [
    '"~~"(a, b) AS true',
    '"||"(a, b) AS a',
    '"+"(a, b) AS -1',
    'md5(a) AS a',
    '"left"(a, b) AS a',
    'regexp_replace(a, b, c) AS a',
    'array_extract(a, b) AS NULL',
    'struct_extract(a, b) AS NULL',
    'list_value(a, b) AS NULL',
    'contains(a, b) AS true',
    'lower(a) AS a',
    'list_transform(a, b) AS a',
  ]) {
    await db.run(`CREATE TEMP MACRO ${macro}`);
  }
});
afterAll(() => {
  db.disconnectSync();
  instance.closeSync();
});

async function value(sql: string, text: string): Promise<string> {
  const statement = await db.prepare(sql);
  statement.bindVarchar(1, text);
  return (await statement.runAndReadAll()).getRows()[0]?.[0] as string;
}

const parser = {
  parse: async (sql: string) => JSON.parse(await value('SELECT json_serialize_sql($1::VARCHAR)', sql)) as Json,
  write: (tree: Json) => value('SELECT json_deserialize_sql($1::JSON)', JSON.stringify(tree)),
};

const predicate: PolicyKind = { kind: 'predicate' };
const mask: PolicyKind = { kind: 'mask', column: 'name' };
const canonical = async (text: string, policy: PolicyKind = predicate) =>
  (await readExpression(text, policy, parser)).canonical;

const ann: Identity = {
  user: "o'brien",
  tenant: 'acme',
  roles: ['analyst', "it's"],
  groups: [],
  claims: { region: 'eu', Region: 'us' },
  attrs: { desk: '7' },
};

/** The SQL of a policy for a principal. */
function bound(text: string, identity = ann): Promise<string> {
  return boundText(text, identity, 'rel', parser);
}

/** What a policy gives on the one row of the table. */
async function result(text: string, identity = ann): Promise<unknown> {
  const sql = await bound(text, identity);
  return (await db.runAndReadAll(`SELECT ${sql} FROM t AS rel`)).getRowsJson()[0]?.[0];
}

describe('the canonical form', () => {
  test('is the same for texts that differ in blanks, comments, case and brackets', async () => {
    const form = await canonical('(region)  =  ${tenantId} /* home */ and LEFT(N, 1) = $$7$$');
    expect(form).toBe(`((region = \${tenant}) AND ("left"(n, 1) = '7'))`);
    expect(await canonical("Region=${tenant} AND (left(n,1)='7')")).toBe(form);
    expect(await canonical(form)).toBe(form);
  });

  test.each([
    ["concat('user_', md5(name))"],
    ["regexp_replace(name, '\\d', 'X')"],
    ["repeat('*', length(name) - 2) || right(name, 2)"],
    ["CASE WHEN name LIKE 'A%' THEN left(name, 1) ELSE NULL END"],
    ["CAST(date_trunc('month', TRY_CAST(name AS DATE)) AS VARCHAR)"],
    ["coalesce(name, 'none') || ${claims.region}"],
    ["list_transform(string_split(name, ' '), lambda w: w[1])[1]"],
    ["'***'"],
    ['NULL'],
  ])('of the mask %s is a mask of the same canonical form', async (text) => {
    const form = await canonical(text, mask);
    expect(await canonical(form, mask)).toBe(form);
  });

  test('names the tokens once', async () => {
    const { tokens } = await readExpression(
      "region IN (${groups}, ${roles}) OR name = ${user} OR name = ${attr.desk} OR name = ${user} OR name = '${tenant}'",
      predicate,
      parser,
    );
    expect(tokens).toEqual(['attr.desk', 'groups', 'roles', 'user']);
  });

  test('tells the columns, of a struct the column, and no parameter of a lambda', async () => {
    const { columns } = await readExpression('list_filter(L, x -> x > N) = l AND S.k = region', predicate, parser);
    expect(columns).toEqual(['l', 'n', 'region', 's']);
  });

  test('has at most 1024 characters, whatever the text has', async () => {
    await expect(canonical(`name = '${'x'.repeat(1_100)}'`)).rejects.toThrow('at most 1024 characters');
    expect(await canonical(`name = 'x' /* ${'y'.repeat(2_000)} */`)).toBe(`("name" = 'x')`);
    await expect(canonical(`name = 'x' /* ${'y'.repeat(9_000)} */`)).rejects.toThrow('at most 8192 characters');
  });
});

describe('a policy is refused', () => {
  test.each([
    ['', 'no expression'],
    ['-- nothing', 'no expression'],
    ['name =', 'not a single SQL expression'],
    ['name = 1; DROP TABLE t', 'no ";"'],
    ['name, region', 'one scalar expression'],
    ['name AS x', 'one scalar expression'],
    ['epoch_ns(day) > 0', 'epoch_ns'],
    ['name FROM t', 'one scalar expression'],
    ['DISTINCT name', 'one scalar expression'],
    ['name WHERE true', 'one scalar expression'],
    ['name LIMIT 1', 'one scalar expression'],
    ['name ORDER BY 1', 'one scalar expression'],
    ['name GROUP BY ALL', 'one scalar expression'],
    ['name QUALIFY true', 'one scalar expression'],
    ['name USING SAMPLE 1', 'one scalar expression'],
    ['name UNION SELECT region', 'one scalar expression'],
    ['(SELECT true)', 'subquery'],
    ['EXISTS (SELECT 1)', 'subquery'],
    ['name IN (SELECT region)', 'subquery'],
    ['name = ANY (l)', 'subquery'],
    ['*', 'no *'],
    ['COLUMNS(*) = 1', 'no *'],
    ['#1 = 1', 'names columns'],
    ['row_number() OVER () = 1', 'window'],
    ['count(*) > 1', 'count_star()'],
    ['max(n) > 1', 'max()'],
    ['unnest(l) = 1', 'unnest()'],
    ['list_sum(l) > 1', 'list_sum()'],
    ["list_aggregate(l, 'sum') > 1", 'list_aggregate()'],
    ['random() > 0.5', 'random()'],
    ['day < now()', 'now()'],
    ['day < current_date', 'current_date'],
    ["getenv('HOME') = name", 'getenv()'],
    ["read_text('/etc/passwd') IS NULL", 'read_text()'],
    ["current_setting('x') = name", 'current_setting()'],
    ["nextval('s') = 1", 'nextval()'],
    ["query('SELECT 1') = 1", 'query()'],
    ["error('x')", 'error()'],
    ['range(n) = l', 'range()'],
    ['levenshtein(name, name) > 1', 'levenshtein()'],
    ["repeat('x', n) = name", 'repeat()'],
    ['repeat(name, length(name)) = name', 'repeat()'],
    ["lpad(name, 100000, 'x') = name", 'lpad()'],
    ["format('{:9999999}', n) = name", 'format()'],
    ['unknown_function(n)', 'unknown_function()'],
    ['public.md5(name) = name', 'functions of the engine only'],
    ['lake.main.md5(name) = name', 'functions of the engine only'],
    ['name.upper() = name', 'functions of the engine only'],
    ["name COLLATE nocase = 'x'", 'COLLATE'],
    ['md5(name) FILTER (n > 1) = name', 'no filter'],
    ['name LIKE region', 'a pattern'],
    ['name LIKE ${user}', 'a pattern'],
    ["name LIKE 'x' ESCAPE '!'", 'like_escape()'],
    ['n::mood = 1', 'plain types'],
    ["'{}'::json IS NULL", 'plain types'],
    ["n::enum('a') IS NULL", 'plain types'],
    ['n::struct(x mood) IS NULL', 'plain types'],
    ['n::variant IS NULL', 'VARIANT'],
    ['n::map(int, bignum) IS NULL', 'BIGNUM'],
    ['day::timestamptz IS NULL', 'time zone'],
    ["name -> 'x' = 1", 'json_extract()'],
    ['n = 12345678901234567890', '15 digits'],
    ['l[1:] = l', 'both its bounds'],
    ['t.s.k = 1', 'without their table'],
    ['name = $1', '$1 is a parameter'],
    ['name = ?', '? is a parameter'],
    ['name = $user', '$user is a parameter'],
    ['name = ${userId}', '${userId} is no identity token'],
    ['name = ${USER}', '${USER} is no identity token'],
    ['name = ${claims.}', 'is no identity token'],
    ['name = ${claims.a.b}', 'is no identity token'],
    ['name = ${ user }', 'unexpected "$"'],
    ['name = ${roles}', 'IN (…) only'],
    ['name IN ${roles}', 'IN (…) only'],
    ['${roles} IN (name)', 'IN (…) only'],
    ['name IN (lower(${groups}))', 'IN (…) only'],
    [`${'('.repeat(80)}n${')'.repeat(80)} = 1`, 'nested'],
    [`${'n + '.repeat(600)}n = 1`, 'operators deep'],
  ])('for %s', async (text, words) => {
    await expect(canonical(text)).rejects.toThrow(words);
  });

  test.each([['concat(name, region)'], ['t.name'], ['name.k'], ['list_transform(l, x -> x)'], ['current_user']])(
    'as a mask of name for another column: %s',
    async (text) => {
      await expect(canonical(text, mask)).rejects.toThrow('its own column name only');
    },
  );

  test('and its own column is meant in any case of letters, and by a lambda its parameter', async () => {
    expect(await canonical('upper(NAME)', mask)).toBe('upper("name")');
    expect(await canonical("list_filter(string_split(name, ' '), (w, i) -> w <> name AND i > 1)", mask)).toContain('w');
  });
});

describe('for a principal', () => {
  test.each([
    ["name LIKE 'B%'", false],
    ["name || '!'", 'Ann!'],
    ['n + 1', 8],
    ['-n', -7],
    ['n BETWEEN 7 AND 8', true],
    ['n NOT IN (1, 2)', true],
    ["CASE WHEN n > 5 THEN 'big' ELSE 'small' END", 'big'],
    ["CAST(n AS VARCHAR) || '0'", '70'],
    ["regexp_replace(name, 'n+', '*')", 'A*'],
    ['left(name, 1)', 'A'],
    ['md5(name)', '82e335f7ac0e0e412b2ae15abe662110'],
    ["s.k || s['k'] || (s).k", 'deepdeepdeep'],
    ['l[2]', 2],
    ['l[1:1]', [1]],
    ['[n, 1]', [7, 1]],
    ['coalesce(nothing, name)', 'Ann'],
    ['nothing IS NULL AND name IS NOT NULL', true],
    ['nothing IS DISTINCT FROM name', true],
    ['list_transform(l, x -> x + n)', [8, 9]],
    ['list_contains(l, 2)', true],
    ["day + INTERVAL 1 DAY = DATE '2026-02-01'", true],
    ["{'a': n}", { a: 7 }],
    ['1.5 * 2', '3.0'],
    ['region = ${claims.region}', true],
    ['region = ${claims.Region}', false],
    ['region = ${claims.constructor}', null],
    ['n = ${attr.desk}', true],
    ['${tenantId} || ${tenant}', 'acmeacme'],
    ['"user" = ${user}', true],
    ["'analyst' IN (${roles})", true],
    ["'it''s' IN ('x', ${roles})", true],
    ["'x' IN (${groups})", null],
    ["'x' NOT IN (${groups})", null],
    ["'${user}'", '${user}'],
  ])('%s gives %j, whatever macros there are', async (text, expected) => {
    expect(await result(text)).toEqual(expected);
  });

  test('every function is named with its catalog and schema, every column with its relation', async () => {
    expect(await bound("name LIKE 'A%' AND s.k[1] = ${user}")).toBe(
      `("system".main."~~"(rel."name", 'A%') AND ("system".main.array_extract("system".main.struct_extract(rel.s, 'k'), 1) = 'o''brien'))`,
    );
  });

  test('a column that the table lacks is not taken from a relation around it', async () => {
    const sql = await bound('secret = 1');
    const lateral = `SELECT * FROM (SELECT 1 AS secret) AS o, LATERAL (SELECT 1 FROM t AS rel WHERE ${sql})`;
    await expect(db.run(lateral)).rejects.toThrow('secret');
  });

  test.each([["'; DROP TABLE t; --"], ["\\'"], ['a\nb'], ['${user}'], ['"'], ['\u{1f600}ü']])(
    'the value %j of a token is that text and nothing else',
    async (user) => {
      expect(await result('${user}', { ...ann, user })).toBe(user);
      expect(await result('${user} IN (${roles})', { ...ann, user, roles: ['x', user] })).toBe(true);
    },
  );

  test.each([['a\0b'], ['a\ud800']])('the value %j of a token is refused', async (user) => {
    await expect(bound('name = ${user}', { ...ann, user })).rejects.toThrow('no text of SQL');
  });

  test('without a relation columns stay as they are', async () => {
    const tree = await parser.parse(`SELECT ${parameterised('s.k = ${user}').sql}`);
    expect(await parser.write(boundExpression(tree, ann))).toBe("SELECT (s.k = 'o''brien')");
  });

  test('a tree that no check has passed is not bound', async () => {
    const tree = await parser.parse('SELECT (SELECT 1)');
    expect(() => boundExpression(tree, ann)).toThrow('subquery');
    const other = await parser.parse('SELECT $other');
    expect(() => boundExpression(other, ann)).toThrow('not understood');
    expect(() => expressionIn(null)).toThrow('not a single SQL expression');
    expect(() => canonicalText('CREATE TABLE x')).toThrow('not a single SQL expression');
  });
});

test('functions that a policy may call are pure, scalar and nothing else in the engine', async () => {
  const rows = await db.runAndReadAll(
    `SELECT function_name, list(DISTINCT function_type) FROM duckdb_functions()
     WHERE schema_name = 'main' AND database_name = 'system' GROUP BY 1`,
  );
  const kinds = new Map(rows.getRowsJson() as [string, string[]][]);
  const wrong = admitted.filter((name) => {
    const types = kinds.get(name) ?? [];
    return !types.includes('scalar') || types.some((type) => type !== 'scalar' && type !== 'table');
  });
  expect(wrong).toEqual([]);
  expect(admitted.filter((name) => classOfFunction(name, 'scalar') !== 'pure')).toEqual([]);
});
