import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

/**
 * Invariant 16: the engine does not look up in the middle of a row. What takes the product of the lengths of two texts there
 * is refused, unless the plan shows that the texts are bounded.
 */
const LAKE = `
  CREATE TABLE t(id INT, a VARCHAR, b VARCHAR, l VARCHAR[], m MAP(VARCHAR, INT), d INT);
  INSERT INTO t VALUES (1, 'Anna, Ben', 'Ben', ['x', 'y'], MAP {'k': 1}, 1);
  CREATE VIEW near AS SELECT id FROM t WHERE levenshtein(a, b) < 9;
  CREATE MACRO likeness(x, y) AS jaro_similarity(x, y);
  CREATE SCHEMA s; CREATE TABLE s.u(id INT PRIMARY KEY, a VARCHAR, b VARCHAR, d INT)`;

const ana = {
  ...userWith('ana', 'RO lake.main.t', 'ALL lake.s.*'),
  macros: [{ catalog: 'lake', schema: 'main', name: 'likeness' }],
};

let lake: TestPipeline;
beforeAll(async () => (lake = await startPipeline(LAKE)));
afterAll(() => lake.close());

describe('what takes the product of two lengths is refused', () => {
  test.each([
    ['levenshtein(a, b)', 'levenshtein() needs bounded texts: levenshtein(left(a, 256), left(b, 256))'],
    ["levenshtein(a, a || 'b')", 'levenshtein() needs bounded texts'],
    ['a.levenshtein(b)', 'levenshtein() needs bounded texts'],
    ['"Levenshtein"(a, left(b, 256))', 'or one of at most 16 characters'],
    ['levenshtein(left(a, 100000), left(b, 100000))', 'levenshtein() needs bounded texts'],
    ['levenshtein(left(a, -1), left(b, -1))', 'levenshtein() needs bounded texts'],
    ['levenshtein(left(a, id), left(b, id))', 'levenshtein() needs bounded texts'],
    ['levenshtein(a[2:], b[-9:-1])', 'levenshtein() needs bounded texts'],
    ['levenshtein(left_grapheme(a, 9), b)', 'levenshtein() needs bounded texts'],
    ["levenshtein(a, 'a literal of seventeen')", 'levenshtein() needs bounded texts'],
    ['editdist3(a, b)', 'editdist3() needs bounded texts'],
    ['damerau_levenshtein(a, left(b, 10))', 'damerau_levenshtein() needs bounded texts'],
    ['jaro_similarity(a, b)', 'jaro_similarity() needs bounded texts'],
    ['jaro_winkler_similarity(a, b, 0.5)', 'jaro_winkler_similarity() needs bounded texts'],
    ['likeness(a, b)', 'jaro_similarity() needs bounded texts'],
    ['list_filter(l, x -> levenshtein(x, a) < 2)', 'levenshtein() needs bounded texts'],
    [
      'levenshtein(left(a, 300), left(b, 300)) + levenshtein(left(b, 300), left(a, 300))',
      'distances of texts take at most 131072 steps a row',
    ],
    ['nfc_normalize(a)', 'nfc_normalize(left(a, 256))'],
    ["a COLLATE NFC < 'b'", 'which COLLATE NFC calls'],
    [
      'contains(a, b)',
      'contains() needs a bounded text to look for: contains(a, left(b, 1000)), or list_contains() for a list',
    ],
    ['b IN a', 'contains() needs a bounded text'],
    ['position(b IN a)', 'position() needs a bounded text'],
    ["strpos(a, b || 'c')", 'strpos() needs a bounded text'],
    ['instr(a, lower(b))', 'instr() needs a bounded text'],
    ["replace(a, b, '')", 'replace() needs a bounded text'],
    ['split_part(a, b, 1)', 'string_split() needs a bounded text'],
    ['string_split(a, b)', 'string_split() needs a bounded text'],
    ['regexp_matches(a, b)', 'regexp_matches() takes a literal pattern'],
    ['regexp_matches(a, left(b, 10))', 'contains(a, left(b, 1000)) looks for a bounded text'],
    ["regexp_matches(a, '(a?){1000}b')", 'at most 1000 characters, a{100} written out'],
    ['a SIMILAR TO b', 'regexp_full_match() takes a literal pattern'],
    ["regexp_replace(a, left(b, 10), '', 'g')", 'regexp_replace() takes a literal pattern'],
    ["regexp_replace(a, 'a(.*b)?', '', 'g')", 'regexp_replace() of all matches needs a bounded text'],
    ["regexp_extract_all(a, 'a*b|a')", 'regexp_extract_all() of all matches needs a bounded text'],
    ["regexp_split_to_array(a, 'a*b|a')", 'of all matches needs a bounded text'],
    ['map_concat(m, m)', 'function map_concat is not available'],
  ])('%s', async (expression, message) => {
    const outcome = await lake.run(ana, `SELECT ${expression} FROM t`);
    expect(outcome).toMatchObject({ code: 'access_denied', rule: 'function' });
    expect(outcome.message).toContain(message);
  });

  test.each([
    'SELECT * FROM near',
    'CREATE TEMP VIEW v AS SELECT levenshtein(a, b) AS d FROM t',
    'CREATE TABLE s.x(a VARCHAR, b VARCHAR, CHECK (levenshtein(a, b) > 0))',
    'CREATE TABLE s.x(a VARCHAR, b VARCHAR, c BOOLEAN AS (a IN b))',
    'CREATE INDEX i ON s.u(levenshtein(a, b))',
    "INSERT INTO s.u VALUES (1, 'a', 'b', 1) RETURNING levenshtein(a, b)",
    'INSERT INTO s.u SELECT id, a, b, d FROM t ON CONFLICT (id) DO UPDATE SET d = levenshtein(a, b)',
    'INSERT INTO s.u SELECT id, a, b, d FROM t ON CONFLICT (id) DO UPDATE SET d = 1 WHERE levenshtein(excluded.a, u.b) > 1',
    'UPDATE s.u SET d = levenshtein(a, b)',
    'UPDATE s.u SET d = 1 WHERE levenshtein(a, b) > 1',
    'UPDATE s.u SET d = 1 RETURNING levenshtein(a, b)',
    'DELETE FROM s.u WHERE levenshtein(a, b) > 1',
    'DELETE FROM s.u RETURNING levenshtein(a, b)',
    'MERGE INTO s.u USING t ON u.id = t.id WHEN MATCHED AND levenshtein(t.a, t.b) > 1 THEN UPDATE SET d = 2',
    'MERGE INTO s.u USING t ON u.id = t.id WHEN MATCHED THEN UPDATE SET d = levenshtein(t.a, t.b)',
    'MERGE INTO s.u USING t ON u.id = t.id WHEN NOT MATCHED THEN INSERT VALUES (t.id, t.a, t.b, levenshtein(t.a, t.b))',
    'MERGE INTO s.u USING t ON levenshtein(u.a, t.b) = 1 WHEN MATCHED THEN DELETE',
    'SELECT count(*) FILTER (WHERE levenshtein(a, b) > 1) FROM t',
    'SELECT list(a ORDER BY levenshtein(a, b)) FROM t',
    'SELECT sum(levenshtein(a, b)) OVER () FROM t',
    'SELECT row_number() OVER (ORDER BY levenshtein(a, b)) FROM t',
    'SELECT sum(d) OVER (PARTITION BY levenshtein(a, b)) FROM t',
    'SELECT a FROM t QUALIFY sum(levenshtein(a, b)) OVER () > 1',
    'SELECT a FROM t ORDER BY levenshtein(a, b)',
    'SELECT levenshtein(a, b) AS x FROM t GROUP BY ALL',
    'SELECT a FROM t GROUP BY a HAVING max(levenshtein(a, b)) > 1',
    'SELECT 1 FROM t x JOIN t y ON levenshtein(x.a, y.b) < 1',
    'SELECT 1 FROM t x ASOF JOIN t y ON x.id = y.id AND x.d >= levenshtein(y.a, y.b)',
    'SELECT 1 FROM t x LEFT JOIN t y ON levenshtein(x.a, y.b) < 1 AND x.id = y.id',
    'SELECT DISTINCT ON (levenshtein(a, b)) a FROM t',
    'SELECT a FROM t LIMIT (SELECT max(levenshtein(a, b)) FROM t)',
    'SELECT unnest(string_split(a, b)) FROM t',
    'SELECT 1 FROM t, unnest(string_split(a, b))',
    'SELECT 1 FROM t, range(levenshtein(a, b))',
    'SELECT CASE WHEN levenshtein(a, b) > 1 THEN 1 END, d BETWEEN 1 AND levenshtein(a, b) FROM t',
    'SELECT coalesce(NULL, levenshtein(a, b)), d IN (1, levenshtein(a, b)) FROM t',
    'SELECT list_transform(l, x -> list_transform(l, y -> levenshtein(x, y))) FROM t',
    'SELECT [levenshtein(x, a) FOR x IN l] FROM t',
    'SELECT (SELECT levenshtein(t.a, y.b) FROM t y LIMIT 1) FROM t',
    'SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM t y WHERE levenshtein(t.a, y.b) = 1)',
    'SELECT 1 FROM t WHERE d = ANY (SELECT levenshtein(t.a, y.b) FROM t y)',
    'WITH RECURSIVE r AS (SELECT a, b, 1 AS n FROM t UNION ALL SELECT a, b, levenshtein(a, b) FROM r WHERE n < 1) SELECT * FROM r',
    "FROM query('SELECT levenshtein(a, b) FROM t')",
    'EXPLAIN SELECT levenshtein(a, b) FROM t',
    'EXPLAIN ANALYZE SELECT levenshtein(a, b) FROM t',
    'SET VARIABLE v = (SELECT max(levenshtein(a, b)) FROM t)',
    'SELECT * FROM (SELECT a, b, d FROM t) PIVOT (max(levenshtein(a, b)) FOR d IN (1, 2))',
    'VALUES ((SELECT max(levenshtein(a, b)) FROM t))',
    'SELECT * FROM t TABLESAMPLE reservoir(1 ROWS) WHERE levenshtein(a, b) > 1',
    'CREATE TABLE s.w AS SELECT * FROM t WHERE b IN a',
    "CREATE TABLE s.w(a VARCHAR, b VARCHAR DEFAULT nfc_normalize(uuid()::VARCHAR || repeat('a', 1000)))",
    "ALTER TABLE s.u ALTER d SET DEFAULT levenshtein(uuid()::VARCHAR || repeat('a', 1000), uuid()::VARCHAR || repeat('b',1000))",
    'ALTER TABLE s.u ALTER d TYPE INT USING levenshtein(a, b)',
    'CREATE TEMP VIEW q AS SELECT 1 AS x FROM t WHERE EXISTS (SELECT 1 FROM t y WHERE levenshtein(t.a, y.b) = 1)',
  ])('wherever it stands: %s', async (sql) => {
    const outcome = await lake.run(ana, sql, { session: await lake.session(ana) });
    expect(outcome).toMatchObject({ code: 'access_denied', rule: 'function' });
    expect(outcome.message).toContain('bounded text');
  });

  test('a prepared statement, when it is executed', async () => {
    const session = await lake.session(ana);
    await lake.run(ana, 'PREPARE p AS SELECT levenshtein(a, b || $1) FROM t', { session });
    const executed = await lake.run(ana, "EXECUTE p('x')", { session });
    expect(executed).toMatchObject({ code: 'access_denied', rule: 'function' });
  });

  test('but not to superusers', async () => {
    expect((await lake.run(ROOT, 'SELECT levenshtein(a, b), contains(a, b) FROM t')).rows).toEqual([[6, true]]);
  });
});

describe('what is bounded is not', () => {
  test.each([
    ["levenshtein(b, 'Bea')", 1],
    ["levenshtein(lower(b), 'ben')", 0],
    ['levenshtein(left(a, 256), left(b, 256))', 6],
    ['levenshtein(substring(a, 1, 50), b[1:50])', 6],
    ["jaro_winkler_similarity(upper(trim(b)), 'BEN')", 1],
    ["damerau_levenshtein(left(b, 100), concat('B', 'ne'))", 1],
    ['levenshtein(id::VARCHAR, left(b, 256))', 3],
    ['likeness(left(a, 100), left(a, 100))', 1],
    ["len(list_filter(l, x -> levenshtein(x, 'x') = 0))", 1],
    ['nfc_normalize(left(b, 100))', 'Ben'],
    ["contains(a, 'Anna')", true],
    ["a.contains('Anna')", true],
    ['contains(a, left(b, 1000))', true],
    ["contains('Ben, Bob', b)", true],
    ['contains(l, a)', false],
    ["'x' IN l", true],
    ['contains(m, a)', false],
    ['strpos(a, id::VARCHAR)', 0],
    ["replace(a, ', ', chr(10))", 'Anna\nBen'],
    ["split_part(a, ',', 1)", 'Anna'],
    ["len(string_split(a, ', '))", 2],
    ["regexp_matches(a, '(A|B).*n$')", true],
    ["regexp_matches(a, '(A|' || 'B)')", true],
    ["regexp_matches(a, '^[-\\w@:%._\\+~#=]{1,256}, \\w{2,6}$')", true],
    ["regexp_replace(a, 'A*n|e', '')", 'na, Ben'],
    ["regexp_replace(a, '\\s+', '', 'g')", 'Anna,Ben'],
    ["regexp_replace(left(a, 1000), 'A*n|e', '', 'g')", 'a, B'],
    ["len(regexp_extract_all(a, '\\w+'))", 2],
    ["starts_with(a, b) OR suffix(a, b) OR hamming(b, 'Bea') = 9", true],
    ["a LIKE '%Ben%'", true],
  ])('%s', async (expression, value) => {
    const outcome = await lake.run(ana, `SELECT ${expression} FROM t`);
    expect(outcome.message).toBe('');
    expect(outcome.rows).toEqual([[value]]);
  });
});
