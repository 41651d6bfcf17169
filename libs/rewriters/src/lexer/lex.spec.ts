import { firstTokens, fold, lex, lexTemplate, LexicalError, quoteIdentifier, quoteLiteral, render } from '.';

const texts = (sql: string) => lex(sql).map((token) => token.text);

describe('tokens', () => {
  test.each([
    ['a.b.c', ['a', '.', 'b', '.', 'c']],
    ['a-- x\nb', ['a', 'b']],
    ['a/* /* nested */ */b', ['a', 'b']],
    ['x::INT', ['x', '::', 'INT']],
    ['a:=1', ['a', ':=', '1']],
    ["$$it's$$ $t$a$$b$t$", ["'it''s'", "'a$$b'"]],
    [String.raw`E'\x2f\u0041\'q'`, ["'/A''q'"]],
    ["x'AB' b'01'", ["x'AB'", "b'01'"]],
    ['1_000 1.5 .5 1e-3 1.', ['1_000', '1.5', '.5', '1e-3', '1.']],
    ['a*-1', ['a', '*', '-', '1']],
    ['2<-3', ['2', '<', '-', '3']],
    ["j->>'x'", ['j', '->>', "'x'"]],
    ['a||b', ['a', '||', 'b']],
    ['list[1:-1]', ['list', '[', '1', ':', '-', '1', ']']],
    ['a=?', ['a', '=', '?']],
    ['$1 $name', ['$1', '$name']],
    ['"a""b".c', ['"a""b"', '.', 'c']],
    ['f(*)', ['f', '(', '*', ')']],
    ["'a''b'", ["'a''b'"]],
  ])('%s', (sql, expected) => expect(texts(sql)).toEqual(expected));

  test.each([['\u00a0'], ['\u200b'], ['\u3000'], ['\u2003'], ['\ufeff'], ['\u2060']])(
    'a Unicode blank %j stands for a space, as it does to DuckDB',
    (blank) => expect(texts(`SELECT${blank}*${blank}FROM sec${blank}.${blank}t`)).toEqual(texts('SELECT * FROM sec.t')),
  );

  test.each([
    ["'open", 'unterminated quote'],
    ['"open', 'unterminated quote'],
    ['/* open', 'unterminated comment'],
    ['$$ open', 'unterminated dollar quote'],
    ['a\0b', 'NUL'],
    ["'a\0b'", 'NUL'],
    ["E'\\0'", 'unsupported escape'],
    ["E'\\xff'", 'unsupported escape'],
    ["U&'\\0041'", 'unsupported string prefix'],
    ['""', 'empty quoted identifier'],
    ['1abc', 'begins with a digit'],
    ['0x1F', 'begins with a digit'],
    ['a\ud800', 'not valid Unicode'],
  ])('%j is refused', (sql, message) => {
    expect(() => lex(sql)).toThrow(LexicalError);
    expect(() => lex(sql)).toThrow(message);
  });
});

describe('the text that the engine is given', () => {
  test('is put together from the tokens: no comment, no blank of the user', () => {
    expect(render(lex('SELECT/**/a\u00a0,\tb -- tail\nFROM t'))).toBe('SELECT a , b FROM t');
  });

  test('lexes to the same tokens', () => {
    const sql = `SELECT a.b, -1, x'AB', $$q$$, "Q" FROM t WHERE a->>'x' <> E'\\n' AND b[1:2] = 1e5`;
    expect(texts(render(lex(sql)))).toEqual(texts(sql));
  });

  test('keeps two strings of two lines apart by a line, for they are one string to the engine', () => {
    expect(render(lex("SELECT 'a'\n  'b'"))).toBe("SELECT 'a'\n'b'");
    expect(render(lex("SELECT 'a' 'b'"))).toBe("SELECT 'a' 'b'");
  });
});

test('tokens know where they stand', () => {
  const sql = `SELECT /* a */ "b""c"\n FROM $$x$$`;
  expect(lex(sql).map(({ start, end }) => sql.slice(start, end))).toEqual(['SELECT', '"b""c"', 'FROM', '$$x$$']);
});

test('the first tokens of a text are told of one that is not complete too', () => {
  const first = (sql: string, atMost: number) => firstTokens(sql, atMost).map(({ text }) => text);
  expect(first('/* a */ ALTER USER bob', 2)).toEqual(['ALTER', 'USER']);
  expect(first("ALTER USER bob PASSWORD 'open", 9)).toEqual(['ALTER', 'USER', 'bob', 'PASSWORD']);
  expect(first('', 3)).toEqual([]);
});

test('names fold by ASCII letters only, so that no two objects become one', () => {
  expect(fold('SALARIES')).toBe('salaries');
  expect(fold('İSTANBUL')).toBe('İstanbul');
  expect(fold('\u212aELVIN')).toBe('\u212aelvin');
});

test('quoting closes what it opens', () => {
  expect(quoteIdentifier('a"b')).toBe('"a""b"');
  expect(quoteLiteral("a'b")).toBe("'a''b'");
});

describe('a placeholder', () => {
  test('is a token in texts of administrators, and none in strings, quoted names and comments', () => {
    const tokens = lexTemplate('a = ${user} AND b = \'${user}\' AND "${user}" /* ${user} */ = $$${user}$$', 100);
    const placeholders = tokens.filter(({ type }) => type === 'placeholder');
    expect(placeholders.map(({ text, value, start }) => [text, value, start])).toEqual([['${user}', 'user', 4]]);
  });

  test.each([['${user}'], ['SELECT ${user}'], ['${claims.x}']])('%s is no SQL of a user', (sql) => {
    expect(() => lex(sql)).toThrow('unexpected "$"');
  });

  test.each([['${}'], ['${ user }'], ['${user'], ['${a-b}'], ['$ {user}']])('%s is none', (text) => {
    expect(() => lexTemplate(text, 100)).toThrow(LexicalError);
  });
});
