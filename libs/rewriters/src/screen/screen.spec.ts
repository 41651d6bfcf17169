import { screen, ScreenRefusal } from '.';

const refusal = (sql: string, parameters: (string | number | boolean | null)[] = []) => {
  try {
    screen(sql, parameters);
  } catch (error) {
    if (error instanceof ScreenRefusal) return { code: error.code, message: error.message };
    throw error;
  }
  return null;
};
const findings = (sql: string) => screen(sql).findings.map(({ message }) => message);

describe('exactly one statement', () => {
  test.each(['SELECT 1; SELECT 2', 'SELECT 1; -- x\nSELECT 2', 'SELECT 1;;DROP TABLE t', "SELECT ';' ; SELECT 2"])(
    '%s',
    (sql) => expect(refusal(sql)?.code).toBe('single_statement_required'),
  );
  test.each(['', ';;', '-- hi', '/* */'])('%j holds none', (sql) => expect(refusal(sql)?.code).toBe('sql_error'));
  test.each(['SELECT 1;', "SELECT ';'", 'SELECT 1 -- ; x'])('%s is one', (sql) => expect(refusal(sql)).toBeNull());
});

describe('statement kinds are an allow list', () => {
  test.each([
    'PREPARE p AS SELECT 1',
    'EXECUTE p',
    'INSTALL httpfs',
    'LOAD httpfs',
    'EXPORT DATABASE x',
    'IMPORT DATABASE x',
    'UPDATE_EXTENSIONS',
    "CONNECT 'host'",
    'CREATE SECRET s (TYPE s3)',
    'DROP SECRET s',
    'CREATE TRIGGER t',
    'ALTER DATABASE x',
    'EXPLAIN EXPLAIN SELECT 1',
    'EXPLAIN INSTALL x',
    'CREATE VIEW v AS INSERT INTO t VALUES (1)',
    'BEGIN; COMMIT',
    'BEGIN nonsense',
    '1 + 1',
    '+',
  ])('%s', (sql) => expect(['access_denied', 'single_statement_required']).toContain(refusal(sql)?.code));

  test.each([
    ['CREATE MACRO m() AS 1', 'statement uses CREATE MACRO, which is not supported'],
    ['CREATE TEMP MACRO m() AS 1', 'statement uses CREATE TEMPORARY MACRO, which is not supported'],
    ['CREATE TEMP TYPE t AS INT', 'statement uses CREATE TEMPORARY TYPE, which is not supported'],
    ["ATTACH 'x' AS y", 'statement uses ATTACH, which is not supported'],
    ['CHECKPOINT', 'statement uses CHECKPOINT, which is not supported'],
    ['VACUUM t', 'statement uses VACUUM, which is not supported'],
    ['SHOW DATABASES', 'statement uses SHOW, which is not supported'],
    ['DESCRIBE SELECT 1', 'statement uses DESCRIBE, which is not supported'],
  ])('%s is not for tenant users', (sql, message) => expect(findings(sql)).toContain(message));

  test('a PRAGMA is never shown to the engine, a superuser’s neither', () => {
    const { unsafeToBind, findings: found } = screen("PRAGMA x(nextval('s'))");
    expect(unsafeToBind).toBe(true);
    expect(found[0]?.bindsSuperusers).toBe(true);
  });

  test('WITH before a write is that write', () => {
    expect(screen('WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a').kind).toBe('INSERT');
    expect(screen('WITH a AS (SELECT 1) SELECT * FROM a').kind).toBe('SELECT');
    expect(screen('WITH a AS (SELECT 1) DELETE FROM t').kind).toBe('DELETE');
  });
});

describe('names before a bracket, where there is no syntax tree', () => {
  test.each([
    ["INSERT INTO t SELECT * FROM read_csv('x')", 'read_csv() reads files; no location is authorized'],
    ["UPDATE t SET a = nextval('s')", 'function nextval is not available to tenant users'],
    ["DELETE FROM t WHERE a = current_setting('threads')", 'function current_setting reads settings of the node'],
    ['INSERT INTO t VALUES (no_such_fn(1))', 'function no_such_fn is not classified'],
    ["CALL ducklake_expire_snapshots('lake')", 'function ducklake_expire_snapshots is not classified'],
    ['INSERT INTO t SELECT "read_text"(\'x\')', 'read_text() reads files; no location is authorized'],
    ['UPDATE t SET a = lake.main.my_macro(1)', 'function my_macro is not classified'],
    ['INSERT INTO t SELECT 1 GROUP BY name(1)', 'function name is not classified'],
    ['INSERT INTO t SELECT 1 UNION SELECT 2 GROUP BY "name"(1)', 'function name is not classified'],
  ])('%s', (sql, message) => expect(findings(sql)).toContain(message));

  test.each([
    'INSERT INTO t (a, b) VALUES (1, 2)',
    'INSERT INTO s.t(a) SELECT x FROM (VALUES (1)) v(x)',
    'WITH c(a) AS (SELECT 1), d(b) AS (SELECT 2) INSERT INTO t SELECT * FROM c, d',
    'CREATE TABLE t(a DECIMAL(10, 2), b VARCHAR(3), CHECK (a > 0), PRIMARY KEY (a))',
    'UPDATE t SET a = lower(b) WHERE c IN (1, 2) AND EXISTS (SELECT 1)',
    'MERGE INTO t USING s ON (t.a = s.a) WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a)',
    'UPDATE t SET a = coalesce(b, 1)',
    'INSERT INTO t SELECT n, v FROM (UNPIVOT (SELECT a, b FROM s) ON a, b INTO NAME n VALUE v)',
    'CREATE INDEX i ON t (a)',
    'DELETE FROM t USING s WHERE extract(year FROM d) = 1',
    'INSERT INTO t (SELECT 1 AS a) UNION BY NAME (SELECT 2 AS a) UNION ALL BY NAME (SELECT 3 AS a)',
  ])('%s is not refused', (sql) => expect(findings(sql)).toEqual([]));
});

describe('names in table position, where there is no syntax tree', () => {
  const tables = (sql: string) =>
    screen(sql).objects.map(({ parts, access }) => `${access === 'read' ? '' : '>'}${parts.join('.')}`);
  test.each([
    ['INSERT INTO a SELECT * FROM b, c JOIN d.e ON true', ['>a', 'b', 'c', 'd.e']],
    ['UPDATE a SET x = (SELECT max(y) FROM b) FROM c, d', ['>a', 'b', 'c', 'd']],
    ['DELETE FROM a USING b, c WHERE a.x IN (FROM d SELECT y)', ['>a', 'b', 'c', 'd']],
    ['WITH q AS (SELECT * FROM b) INSERT INTO a SELECT * FROM q', ['b', '>a']],
    ['MERGE INTO a USING b ON a.x = b.x WHEN MATCHED THEN DELETE', ['>a', 'b']],
    ['DROP TABLE IF EXISTS a.b', ['>a.b']],
    ['DESCRIBE secret', ['secret']],
    ["PRAGMA table_info('sec.t')", ['sec.t']],
    ['INSERT INTO a SELECT extract(year FROM x), b.y FROM b', ['>a', 'b']],
    ['TRUNCATE a', ['>a']],
    ['PIVOT secret ON v USING count(*)', ['secret']],
    ['WITH b AS (FROM c) UPDATE a SET x = 1 FROM b', ['c', '>a']],
    ['INSERT INTO a FROM (UNPIVOT b ON c INTO NAME n VALUE v)', ['>a', 'b']],
    ['INSERT INTO a SELECT * FROM b PIVOT (sum(x) FOR y IN (1, 2))', ['>a', 'b']],
    ['INSERT INTO a SELECT * FROM b JOIN c ON b.x = c.x, d', ['>a', 'b', 'c', 'd']],
    ['INSERT INTO a FROM b, (WITH c AS (FROM d) FROM c), c', ['>a', 'b', 'd', 'c']],
    ['INSERT INTO a WITH RECURSIVE b AS (FROM b UNION ALL FROM b) FROM b', ['>a', 'b']],
    ['INSERT INTO a WITH b AS (FROM b UNION ALL FROM b) FROM b', ['>a', 'b', 'b']],
    ['INSERT INTO a WITH b AS (FROM c) FROM b RETURNING (FROM b)', ['>a', 'c', 'b']],
    ['DELETE FROM a USING b JOIN c USING (id) WHERE x IS NOT DISTINCT FROM y', ['>a', 'b', 'c']],
    ['CREATE TABLE a(b INT REFERENCES c(d))', ['>a', 'c']],
    ['CREATE TABLE a AS WITH b AS (FROM c) FROM b, VALUES (1) t, d', ['>a', 'c', 'd']],
    ['CREATE UNIQUE INDEX i ON a USING art (b)', ['>a', 'a']],
    ['ALTER SEQUENCE a OWNED BY b', ['>a', '>b']],
    ["COMMENT ON COLUMN a.b.c IS 'x'", ['>a.b']],
    ['COPY a (b) TO x', ['a']],
    ['SET VARIABLE v = (SELECT max(x) FROM a)', ['a']],
  ])('%s', (sql, expected) => expect(tables(sql)).toEqual(expected));

  test.each([
    "INSERT INTO t FROM 'x.csv'",
    "INSERT INTO t SELECT * FROM a, 'x.csv'",
    "DELETE FROM t USING 'x.parquet'",
  ])('%s names a file', (sql) =>
    expect(findings(sql)).toContain('a string in table position names a file; no location is authorized'),
  );
});

test.each([
  'INSERT t SELECT 1',
  'DELETE t',
  'COMMENT ON COLUMN c IS NULL',
  'INSERT INTO t WITH x FROM y',
  'CREATE INDEX i t (a)',
])('a form that is not known is refused, for it could hold a name that is not seen: %s', (sql) => {
  expect(screen(sql)).toMatchObject({ unsafeToBind: true });
  expect(findings(sql)).toContain('statement is not of a form whose names are known, so it is refused');
});

describe('types in a statement without a syntax tree', () => {
  const types = (sql: string) => screen(sql).types.map(({ parts }) => parts.join('.'));
  test.each([
    ['INSERT INTO t SELECT 1::a, CAST(2 AS b.c), TRY_CAST(3 AS "d"[]), NULL::INT', ['a', 'b.c', 'd']],
    ["INSERT INTO t SELECT NULL::STRUCT(x a, y MAP(b, INT)), c 'x', DATE '2020-01-01'", ['a', 'b', 'c']],
    ['CREATE TABLE t(x a, y INT, "z" b.c NOT NULL, PRIMARY KEY (x), w AS (y + 1), v DECIMAL(4, 2))', ['a', 'b.c']],
    ['CREATE TYPE t AS STRUCT(x a)', ['a']],
    ['ALTER TABLE t ADD COLUMN IF NOT EXISTS x a', ['a']],
    ['ALTER TABLE t ALTER type TYPE a', ['a']],
    ['ALTER TABLE t ALTER x SET DATA TYPE a USING x::b', ['b', 'a']],
    ["UPDATE t SET x = y LIKE 'z', w = INTERVAL '1 day' WHERE v IS NOT NULL AND u = 'x'", []],
    ["UPDATE t SET x = y::TIMESTAMP WITH TIME ZONE, z = '1'::DOUBLE PRECISION", []],
  ])('%s', (sql, expected) => expect(types(sql)).toEqual(expected));
});

/** `a0, a1, …`, each twice in the next one. */
function doublings(n: number): string {
  const next = (i: number) => `, a${i + 1} AS (SELECT * FROM a${i} UNION ALL SELECT * FROM a${i})`;
  return `a0 AS (SELECT 1)${Array.from({ length: n }, (_, i) => next(i)).join('')}`;
}

/** Generated columns, each twice in the next one; a negative place counts from behind. */
function generated(n: number, place: (i: number) => number): string {
  const name = (i: number) => `g${place(i) < 0 ? n + place(i) : place(i)}`;
  return Array.from({ length: n }, (_, i) => `, ${name(i + 1)} AS (${name(i)} || ${name(i)})`).join('');
}

describe('what could hold a thread of the engine', () => {
  test.each([
    ['a chain over literals', `SELECT ${'1+'.repeat(3000)}1`],
    ['nesting', `SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)}`],
    ['unary operators', `SELECT ${'-'.repeat(1).concat(' ').repeat(5000)}1`],
    ['NOT NOT NOT', `SELECT ${'NOT '.repeat(5000)}true`],
    ['casts', `SELECT 1${'::INT'.repeat(5000)}`],
    ['set operations', `SELECT 1${' UNION SELECT 1'.repeat(5000)}`],
    ['subscripts', `SELECT a${'.b'.repeat(5000)}`],
    ['a text of over a megabyte', `SELECT '${'x'.repeat(1_100_000)}'`],
    ['repeat', "SELECT length(repeat('x', 2000000000))"],
    ['nested repeat', "SELECT length(repeat(repeat('x', 100000), 100000))"],
    ['lpad', "SELECT lpad('x', 1500000000, 'y')"],
    ['a computed size', "SELECT repeat('x', 1000 * 1000 * 1000)"],
    ['a size from a function', "SELECT repeat('x', power(10, 9)::INT)"],
    ['a list of a range', 'SELECT range(1000000000)'],
    ['a width in a format', "SELECT format('{:1000000000}', 1)"],
    ['a size that is chosen', "SELECT repeat('x', CASE WHEN true THEN 900000000 END)"],
    ['a size that a function chooses', "SELECT repeat('x', if(true, 900000000, 1))"],
    ['a size from a subquery', "SELECT repeat('x', (SELECT 900000000))"],
    ['a size under an alias', "SELECT 900000000 AS n, repeat('x', n)"],
    ['a size in a lambda', "SELECT list_transform([900000000], n -> repeat('x', n))"],
    ['a size behind the text', "SELECT 'x'.repeat(900000000)"],
    ['a constant size of a column', 'SELECT repeat(name, 900000000) FROM t'],
    ['a size from a constant function', "SELECT repeat('x', (pi() * 900000000)::INT)"],
    ['replacing in what was repeated', "SELECT replace(repeat('x', 100000), 'x', repeat('y', 100000))"],
    ['replacing over and over', `SELECT ${'replace('.repeat(12)}'xxxxxxxxxx'${",'x','xxxxxxxxxx')".repeat(12)}`],
    ['lists of lists', 'SELECT flatten(list_transform(range(1000000), x -> range(1000)))'],
    ['a distance of long texts', "SELECT damerau_levenshtein(repeat('x', 100000), repeat('y', 100000))"],
    ['doubling common table expressions', `WITH ${doublings(25)} SELECT count(*) FROM a25`],
    [
      'doubling aliases',
      `SELECT 1 AS b0${Array.from({ length: 20 }, (_, i) => `, b${i} + b${i} AS b${i + 1}`).join('')}`,
    ],
    [
      'doubling aliases without AS',
      `SELECT 1 b0${Array.from({ length: 20 }, (_, i) => `, b${i} + b${i} b${i + 1}`).join('')}`,
    ],
    ['LIKE with several % beside a _', "SELECT name LIKE '%a_%a_%b' FROM t"],
    ['ILIKE with several %', "SELECT name ILIKE '%a%b%c' FROM t"],
    ['GLOB with several *', "SELECT name GLOB '*a*b*c' FROM t"],
    ['LIKE with an ESCAPE', "SELECT name LIKE '%a%b%c' ESCAPE '!' FROM t"],
    ['a pattern from a column', 'SELECT name LIKE pattern FROM t'],
    ['a pattern that is put together', "SELECT name LIKE '%' || pattern FROM t"],
    ['a pattern that is put together in brackets', "SELECT name LIKE ('a' || b) FROM t"],
    ['a pattern with more behind its bracket', "SELECT name LIKE ('a') || b FROM t"],
    ['a pattern with an operator in brackets', "SELECT name LIKE ('a' COLLATE NOCASE) FROM t"],
    ['a pattern out of a call', "SELECT name LIKE repeat('%a_', 300000) FROM t"],
    ['a long pattern', `SELECT name LIKE '%${'a'.repeat(2000)}%' FROM t`],
    ['the function behind LIKE', 'SELECT "~~"(name, pattern) FROM t'],
    ['the function behind ESCAPE', "SELECT like_escape(name, pattern, '!') FROM t"],
    ['lag by the least of integers', 'SELECT lag(a, -9223372036854775808) OVER () FROM t'],
    ['lead by a column', 'SELECT lead(a, b) OVER () FROM t'],
    ['lag behind a dot', 'SELECT a.lag(-9223372036854775808) OVER () FROM t'],
    ['lag by what is worked out', 'SELECT lag(a, -9223372036854775807 - 1) OVER () FROM t'],
    ['a width out of the arguments', "SELECT format('{:{}}', 1, 2000000000)"],
    ['a precision out of the arguments', "SELECT format('{{{:.{}f}', 1.0, 2000000000)"],
    ['a width out of the arguments of printf', "SELECT printf('%*d', 2000000000, 1)"],
    ['a list for each of a variable', "SELECT list_transform(getvariable('l'), x -> getvariable('l'))"],
    ['a distance of variables', "SELECT levenshtein(getvariable('a'), getvariable('b'))"],
    ['doubling generated columns', `CREATE TABLE t (a VARCHAR, g0 AS (a)${generated(20, (i) => i)})`],
    ['doubling generated columns from behind', `CREATE TABLE t (a VARCHAR, g20 AS (a)${generated(20, (i) => -i)})`],
    ['hundreds of subscripts', `SELECT a${'[1]'.repeat(900)} FROM t`],
    ['hundreds of joins by a comma', `SELECT 1 FROM ${Array.from({ length: 600 }, (_, i) => `t t${i}`).join(', ')}`],
  ])('%s is refused', (_, sql) => expect(refusal(sql)?.code).toBe('statement_too_large'));

  test.each([
    ['a long OR', `SELECT * FROM t WHERE ${'a = 1 OR '.repeat(3000)}a = 2`],
    ['a long IN list', `SELECT * FROM t WHERE a IN (${'1,'.repeat(20_000)}1)`],
    ['a streamed range', 'SELECT * FROM range(1000000000)'],
    ['LIKE of % alone', "SELECT name LIKE '%a%b%c%', name NOT LIKE 'a_c', name LIKE '%x_%' FROM t"],
    [
      'ILIKE and GLOB',
      "SELECT name ILIKE '%a%', name GLOB 'a*b', name ILIKE ('a%') FROM t WHERE name LIKE 'x' ESCAPE '!'",
    ],
    [
      'what is made of an answer',
      "SELECT (a LIKE 'x%')::INT, count_if(a LIKE '%x%') / count(*), (a LIKE ('x' || ('y'))) = b, a LIKE 'x' || 'y' AND b FROM t",
    ],
    ['lag and lead', 'SELECT lag(a), lag(a, 1), lead(a, -2, 0), lag(a, 1 ORDER BY b), lag(a ORDER BY b) FROM t'],
    ['braces in a format', "SELECT format('{{{:>10}}}', 1), printf('%5d * %s', a, b) FROM t"],
    ['a variable', "SELECT getvariable('a') || getvariable('b'), list_contains(getvariable('l'), a) FROM t"],
    ['generated columns', 'CREATE TABLE t (a INT, b INT, c AS (a * b), d INT GENERATED ALWAYS AS (c + c) VIRTUAL)'],
    ['a column that is called like', 'SELECT t.like, a.glob FROM t'],
    ['repeat of a column', "SELECT repeat('*', stars + 1) FROM t"],
    ['a small repeat', "SELECT repeat('ab', 1000)"],
    ['a size under an alias of rows', "SELECT repeat('*', n) FROM (SELECT count(*) AS n FROM t GROUP BY a)"],
    ['a bar', 'SELECT bar(n, 0, 5000000, 40) FROM (SELECT sum(1) AS n FROM t)'],
    ['rulers', "SELECT concat(repeat('=', 80), repeat('-', 80), repeat('.', 200)), lpad(x, 2 * 5, '0') FROM t"],
    ['numbers beside a small size', "SELECT lpad(x, 10) FROM t WHERE id = 123456789 AND d > DATE '2020-01-01'"],
    ['a short list', 'SELECT list_transform(range(1000), x -> x * 1000000)'],
    ['replacing in a text', "SELECT replace(replace('a text', 'a', 'the'), 'text', 'words')"],
    ['a few common table expressions', `WITH ${doublings(8)} SELECT count(*) FROM a8`],
    ['two thousand aliases', `SELECT ${Array.from({ length: 2000 }, (_, i) => `c${i} AS d${i}`).join(', ')} FROM t`],
    [
      'aliases of aliases',
      'SELECT p * q AS gross, gross * (1 - d) AS net, net * (1 + t) AS total, total - net AS tax FROM o',
    ],
    ['joins by a comma', `SELECT 1 FROM ${Array.from({ length: 60 }, (_, i) => `t t${i}`).join(', ')}`],
  ])('%s is not', (_, sql) => expect(refusal(sql)).toBeNull());
});

describe('what would end the engine, or read what is of others', () => {
  const findings = (sql: string) => screen(sql).findings.map(({ message }) => message);

  test.each([
    'SELECT a::JSON::VARIANT FROM t',
    'SELECT [a]::VARIANT[] FROM t',
    "SELECT CAST(a AS STRUCT(b BIGNUM)), BIGNUM '5' FROM t",
    'CREATE TEMP TABLE t (v "variant")',
    'ALTER TABLE t ALTER a TYPE main.bignum',
    `SELECT from_json(a, '"BIGNUM"') FROM t`,
  ])('%s names a type whose values are not made', (sql) =>
    expect(findings(sql)).toContainEqual(expect.stringMatching(/^type .* is not available to tenant users$/)),
  );

  test.each([
    "CREATE TABLE t (a INT, b VARCHAR DEFAULT getvariable('v'))",
    "CREATE TABLE t (a INT, b AS (a || getvariable('v')))",
    "ALTER TABLE t ALTER a SET DEFAULT getvariable('v')",
  ])('%s would read a variable of whoever writes', (sql) =>
    expect(findings(sql)).toContainEqual(expect.stringContaining('getvariable() in the definition of a table')),
  );

  test.each(["CREATE TABLE t AS SELECT upper(getvariable('v'))", 'SELECT variant, a AS bignum FROM t'])(
    '%s is content',
    (sql) => expect(findings(sql)).toEqual([]),
  );
});

describe('parameters', () => {
  test('stand for a pattern and an offset as literals do', () => {
    expect(screen('SELECT a LIKE ?, lag(a, ?) OVER () FROM t', ['%x%', -1]).findings).toEqual([]);
    expect(screen("SELECT a LIKE '%' || ? || '%', a ILIKE ('%' || ?) FROM t", ['x', 'y']).findings).toEqual([]);
    expect(() => screen("SELECT a LIKE '%' || ? || '%_%b' FROM t", ['%x'])).toThrow('one wildcard for many');
    expect(() => screen("SELECT a LIKE '%' || ? || b FROM t", ['x'])).toThrow('texts as they stand');
    expect(() => screen('SELECT a ILIKE ? FROM t', ['%x%y%z'])).toThrow('a pattern of ILIKE');
    expect(() => screen('SELECT lag(a, ?) OVER () FROM t', [-9e18])).toThrow('the offset of lag()');
  });

  test('are written as casts of literals, numbers too', () => {
    expect(screen('SELECT ?, -?, $$a$$ || ?', [1.5, -1, "x'; --"]).text).toBe(
      `SELECT CAST ( '1.5' AS DOUBLE ) , - CAST ( '-1' AS BIGINT ) , 'a' || CAST ( 'x''; --' AS VARCHAR )`,
    );
    expect(screen('SELECT $2, $1, $2', [true, null]).text).toBe(`SELECT NULL , CAST ( 'true' AS BOOLEAN ) , NULL`);
  });

  test.each([
    ['SELECT ?', []],
    ['SELECT ?', [1, 2]],
    ['SELECT $2', [1]],
    ['SELECT $x', [1]],
    ['SELECT 1', [1]],
    ['SELECT ?', [Number.NaN]],
    ['SELECT ?', ['a\0']],
    ['SELECT $1, ?', [1, 2]],
  ])('%s with %j', (sql, values) => expect(refusal(sql, values)?.code).toBe('invalid_parameters'));

  test('a hundred thousand of them are refused', () => {
    const values = Array.from({ length: 100_000 }, (_, i) => i);
    expect(refusal(`SELECT ${values.map(() => '?').join(',')}`, values)?.code).toBe('invalid_parameters');
  });
});

describe('a plain query, which its plan alone describes', () => {
  test.each([
    "SELECT a, count(*) FROM t JOIN s.u ON t.a = u.a WHERE b LIKE 'x%' GROUP BY ALL ORDER BY a DESC LIMIT 5",
    'SELECT extract(year FROM d) FROM (SELECT * FROM t) AS x WHERE EXISTS (SELECT 1 FROM u)',
  ])('%s', (sql) => expect(screen(sql).plain).toBe(true));

  test.each([
    'WITH c AS (SELECT 1) SELECT * FROM c',
    'SELECT * FROM (DESCRIBE t)',
    'SELECT * FROM (DESC t)',
    'SELECT * FROM (SUMMARIZE t)',
    'SELECT * FROM (SHOW TABLES)',
    'SELECT * FROM t PIVOT (sum(a) FOR b IN (1))',
    'SELECT * FROM t AT (VERSION => 1)',
    "SELECT * FROM 'x.csv'",
    "SELECT * FROM t, 'x.csv'",
    'SELECT * FROM "x.csv"',
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('t')",
    "SELECT * FROM read_csv('x')",
    "SELECT nextval('s')",
    "SELECT getvariable('v')",
    'SELECT unknown_function(1)',
    'SELECT "upper"(a) FROM t',
    'SELECT * FROM histogram(t, a)',
    "SELECT json_serialize_plan('x')",
    "SELECT current_setting('x')",
  ])('%s is none', (sql) => expect(screen(sql).plain).toBe(false));
});

test('a text of too many words is not read to its end, nor is one that its parameters make too large', () => {
  const code = (sql: string, parameters: (string | number)[] = []) => {
    try {
      screen(sql, parameters);
    } catch (error) {
      return (error as ScreenRefusal).code;
    }
    return 'ok';
  };
  const since = performance.now();
  expect(code(`SELECT ${'1,'.repeat(500_000)}1`)).toBe('statement_too_large');
  expect(code(`SELECT ${'1,'.repeat(60_000)}'never closed`)).toBe('statement_too_large');
  expect(code(`SELECT ${'$1,'.repeat(20_000)}1`, [1])).toBe('statement_too_large');
  expect(code(`SELECT ${'$1,'.repeat(1_000)}1`, ['x'.repeat(1_000_000)])).toBe('statement_too_large');
  expect(performance.now() - since).toBeLessThan(2_000);
  expect(code(`SELECT ${'$1,'.repeat(1_000)}1`, ['x'])).toBe('ok');
});

describe('the screen takes time that grows with the text, and no faster', () => {
  const list = ',1'.repeat(45_000);
  test.each([
    ['casts of casts', `SELECT abs(1), ${'cast('.repeat(60)}1${' as int)'.repeat(60)}`],
    ['casts of casts that may fail', `INSERT INTO t SELECT abs(1), ${'try_cast('.repeat(60)}1${' as int)'.repeat(60)}`],
    ['EXPLAIN of EXPLAIN', `${'EXPLAIN '.repeat(3_000)}SELECT 1${list}`],
    ['views of views', `${'CREATE VIEW a AS '.repeat(1_000)}SELECT 1${list}`],
    [
      'a long list of common table expressions',
      `WITH ${Array.from({ length: 8_000 }, (_, i) => `a${i} AS (SELECT 1)`).join(', ')} INSERT INTO t SELECT 1`,
    ],
    ['many casts', `SELECT abs(1)${',cast(1 as a)'.repeat(14_000)}`],
  ])('%s', (_, sql) => {
    const since = performance.now();
    refusal(sql);
    // A tenth of it on an idle machine.
    expect(performance.now() - since).toBeLessThan(1_500);
  });
});

describe('a reduction grows by an element at each step, and no more', () => {
  test.each([
    'SELECT list_reduce(l, (a, b) -> a || b) FROM t',
    'SELECT list_reduce([1, 2], lambda a, b : a + b)',
    'SELECT list_reduce(list(x), (a, b) -> greatest(a, b), 0) FROM t',
    "SELECT reduce(l, (a, b) -> concat(a, ', ', b)) FROM t",
    'SELECT array_reduce(l, (a, b, i) -> CASE WHEN b > i THEN a ELSE b END) FROM t',
  ])('%s', (sql) => expect(screen(sql).findings).toEqual([]));

  test.each([
    'SELECT list_reduce(l, (a, b) -> a || a) FROM t',
    'SELECT list_reduce(l, lambda a, b : a || A)',
    "SELECT list_reduce(l, (a, b) -> replace(a, 'x', 'xx')) FROM t",
    'SELECT list_reduce(l, (a, b) -> list_reduce(b, (c, d) -> c || d)) FROM t',
    'SELECT "list_reduce"(l, (a, b) -> concat(a, hex(b))) FROM t',
    'SELECT list_reduce(l, f) FROM t',
    'SELECT list_reduce(l) FROM t',
  ])('%s is refused', (sql) => expect(() => screen(sql)).toThrow('may use what it has so far once'));
});
