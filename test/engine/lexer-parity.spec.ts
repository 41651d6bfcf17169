import { DuckDBInstance, DuckDBPreparedStatement } from '@duckdb/node-api';
import { lex, render } from '@gadwall/rewriters';
import fc from 'fast-check';
import { STATEMENT_TEXTS } from '../../bench/statement-texts';

/**
 * Our lexer against the engine's parser: the text that is put together from our tokens means what the user's text means.
 * Were it not so, one statement would be judged and another one run.
 */
let instance: DuckDBInstance;
let parser: DuckDBPreparedStatement;

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  parser = await connection.prepare(
    'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)',
  );
});
afterAll(() => instance.closeSync());

/** The engine's tree without the places in the text; null when the engine does not parse it. */
async function tree(sql: string): Promise<string | null> {
  parser.bindVarchar(1, sql);
  const text = (await parser.runAndReadAll()).getRowsJson()[0]?.[0] as string;
  return text.startsWith('{"error":true') ? null : text.replaceAll(/"query_location":\d+,?/g, '');
}

const lexed = (sql: string): string | null => {
  try {
    return render(lex(sql));
  } catch {
    return null;
  }
};

const TEXTS = [
  ...Object.values(STATEMENT_TEXTS).map((text) => text.replace('{u}', '1')),
  `SELECT a.b.c, "q""x", 'it''s', $$dollar$$, $t$ta$g$t$, E'\\x41\\n', x'AB', 1_000, 1e5, .5, 1., 1.5e-3`,
  `SELECT -1, - -1, +1, a*-1, 2<-3, a<>b, a!=b, a>=b, a||b, a->>'x', j->'y', a^2, a**2, a//b, a%b, ~1, a&b, a|b, a<<2, @ -5`,
  `SELECT l[1], l[1:2], l[:2], l[1:], l[-1], {'a': 1, b: 2}, [1, 2], MAP {'k': 1}, x::INT[], x::DECIMAL(10, 2)`,
  `SELECT lambda x: x + 1, list_transform([1], lambda x: x), count(*) FILTER (WHERE a > 1) OVER (PARTITION BY b ORDER BY c)`,
  `FROM a: t SELECT a.*, COLUMNS(c -> c LIKE 'x%'), * EXCLUDE (a) REPLACE (b + 1 AS b)`,
  `SELECT 'a'\n'b', 'c' /* no */ , "d" -- end`,
  `SELECT * FROM t AS s(a, b) JOIN u USING (x) ASOF JOIN v ON a >= b, LATERAL (SELECT 1) w, range(3) r(i)`,
  `SELECT #1, a BETWEEN 1 AND 2, a IS NOT DISTINCT FROM b, NOT a, a IN (1, 2), extract(year FROM d), INTERVAL 1 DAY, DATE '2020-01-01'`,
  `WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r ORDER BY ALL LIMIT 10%`,
];

test.each(TEXTS)('%s', async (sql) => {
  const expected = await tree(sql);
  expect(expected).not.toBeNull();
  expect(await tree(lexed(sql) ?? '')).toBe(expected);
});

test('every character that is a blank to the engine is one to us, and no other', async () => {
  const codes = Array.from({ length: 0x10000 - 0x80 }, (_, i) => i + 0x80).filter(
    (code) => code < 0xd800 || code > 0xdfff,
  );
  for (let i = 0; i < codes.length; i += 500) {
    const some = codes.slice(i, i + 500);
    const sql = `SELECT ${some.map((code) => `a${String.fromCharCode(code)}b`).join(', ')}`;
    const parsed = JSON.parse((await tree(sql)) ?? '{}');
    const columns = parsed.statements[0].node.select_list as { alias?: string }[];
    const theirs = some.filter((_, n) => columns[n]?.alias === 'b');
    const ours = some.filter((code) => lex(`a${String.fromCharCode(code)}b`).length === 2);
    expect(ours).toEqual(theirs);
  }
}, 60_000);

describe('texts cut and joined at random', () => {
  const pieces = TEXTS.flatMap((text) => text.split(/(\s+|[(),.])/)).filter((piece) => piece !== '');
  const odd = [
    "'",
    '"',
    '$$',
    '--',
    '/*',
    '*/',
    '\n',
    '\u00a0',
    '\u200b',
    "E'",
    '::',
    ':=',
    '->',
    '->>',
    '||',
    '+-',
    '*-',
    '<-',
    '#',
    '?',
    '\\',
    ';',
    '..',
    '1.',
    '.5',
    '`',
    '@',
    '!',
    '~',
  ];
  const text = fc.array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...pieces) }, fc.constantFrom(...odd)), {
    maxLength: 25,
  });

  test('whatever we accept and the engine parses, means the same rendered', async () => {
    let parsed = 0;
    await fc.assert(
      fc.asyncProperty(text, async (parts) => {
        // A Unicode blank at the very end is a name to the engine, by an oversight of its own.
        const sql = `SELECT ${parts.join(' ')}`.trimEnd();
        const ours = lexed(sql);
        if (ours === null || ours.includes(';')) return;
        const rendered = await tree(ours);
        // What we hand over is what we examined: it must lex to the same tokens again.
        expect(lexed(ours)).toBe(ours);
        const theirs = await tree(sql);
        if (theirs === null || rendered === null) return;
        parsed++;
        expect(rendered).toBe(theirs);
      }),
      { numRuns: 5_000 },
    );
    expect(parsed).toBeGreaterThan(20);
  }, 60_000);
});
