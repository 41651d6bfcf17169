import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

/**
 * Invariant 16: the engine does not look up in the middle of a row. What takes the product of the lengths of two texts there
 * is refused, unless the plan shows that the texts are bounded.
 */
const LAKE = `
  CREATE TABLE t(id INT, a VARCHAR, b VARCHAR, l VARCHAR[], m MAP(VARCHAR, INT));
  INSERT INTO t VALUES (1, 'Anna, Ben', 'Ben', ['x', 'y'], MAP {'k': 1});
  CREATE VIEW near AS SELECT id FROM t WHERE levenshtein(a, b) < 9;
  CREATE MACRO likeness(x, y) AS jaro_similarity(x, y)`;

const ana = {
  ...userWith('ana', 'RO lake.main.t', 'ALL lake.s.*'),
  macros: [{ catalog: 'lake', schema: 'main', name: 'likeness' }],
};

let lake: TestPipeline;
beforeAll(async () => (lake = await startPipeline(`${LAKE}; CREATE SCHEMA s`)));
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
    ['regexp_matches(a, b)', 'regexp_matches() needs a bounded pattern: regexp_matches(a, left(b, 1000))'],
    ['a SIMILAR TO b', 'regexp_full_match() needs a bounded pattern'],
    ["regexp_replace(a, left(b, 10), '', 'g')", 'regexp_replace() of all matches needs a bounded text'],
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
    ['a view over a table', 'SELECT * FROM near'],
    ['a view of ones own', 'CREATE TEMP VIEW v AS SELECT levenshtein(a, b) AS d FROM t'],
    ['a check', 'CREATE TABLE s.x(a VARCHAR, b VARCHAR, CHECK (levenshtein(a, b) > 0))'],
    ['a generated column', 'CREATE TABLE s.x(a VARCHAR, b VARCHAR, c BOOLEAN AS (a IN b))'],
    ['an index', 'CREATE INDEX i ON s.d(levenshtein(a, b))'],
    ['a write', 'CREATE TABLE s.x AS SELECT levenshtein(a, b) AS d FROM t'],
  ])('%s', async (_, sql) => {
    await lake.run(ROOT, 'CREATE TABLE IF NOT EXISTS lake.s.d(a VARCHAR, b VARCHAR)');
    const session = await lake.session(ana);
    expect(await lake.run(ana, sql, { session })).toMatchObject({ code: 'access_denied', rule: 'function' });
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
    ['regexp_matches(a, left(b, 10))', true],
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
