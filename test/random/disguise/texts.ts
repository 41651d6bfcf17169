import { lex, quoteIdentifier, quoteLiteral, type Token } from '@gadwall/rewriters';

/** Numbers from 0 to 1 of one seed. */
export type Random = () => number;

export function one<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** The tokens of a text; null for one that the lexer does not accept. */
export function tokensOf(sql: string): Token[] | null {
  try {
    return lex(sql);
  } catch {
    return null;
  }
}

/** Whether there is a statement in a text. */
export function isStatement(sql: string): boolean {
  return tokensOf(sql)?.some(({ text }) => text !== ';') ?? true;
}

/** A text written anew, each token by a function of it; what stood between two tokens may be changed too. */
function rewritten(
  sql: string,
  token: (one: Token, i: number, all: Token[]) => string,
  gap = (text: string) => text,
): string {
  const all = tokensOf(sql) ?? [];
  let [text, end] = ['', 0];
  all.forEach((current, i) => {
    const between = sql.slice(end, current.start);
    text += (i === 0 ? between : gap(between)) + token(current, i, all);
    end = current.end;
  });
  return text + sql.slice(end);
}

const source =
  (sql: string) =>
  ({ start, end }: Token) =>
    sql.slice(start, end);

/** Other letters in words, which mean the same in any. */
function letters(sql: string, random: Random): string {
  const style = one(random, ['upper', 'lower', 'mixed']);
  const cased = (text: string): string => {
    if (style !== 'mixed') return style === 'upper' ? text.toUpperCase() : text.toLowerCase();
    return [...text].map((c) => (random() < 0.5 ? c.toUpperCase() : c.toLowerCase())).join('');
  };
  return rewritten(sql, (token, i, all) => {
    const text = source(sql)(token);
    // The name of a variable is listed in the letters that it was set with.
    const changes = token.type === 'word' && /^[\x20-\x7e]*$/.test(text) && all[i - 1]?.value !== 'variable';
    return changes ? cased(text) : text;
  });
}

const NAME_FOLLOWS = new Set(['from', 'join', 'into', 'update']);
const NO_NAME = new Set(
  'name select values table lateral only from with query query_table unnest pivot unpivot set or describe show summarize'.split(
    ' ',
  ),
);

/** Quotes around names of tables and what qualifies them, and around names behind a dot. */
function quotes(sql: string, random: Random): string {
  return rewritten(sql, (token, i, all) => {
    const text = source(sql)(token);
    const before = all[i - 1];
    const named = (before?.type === 'word' && NAME_FOLLOWS.has(before.value)) || before?.text === '.';
    const call = all[i + 1]?.text === '(';
    if (token.type !== 'word' || !named || call || NO_NAME.has(token.value) || random() < 0.3) return text;
    return quoteIdentifier(text);
  });
}

const BLANKS = [' ', '\t', '\n', '\r\n', '\f', '\u00a0', '\u2003', '\u202f', '\u3000', '\u200b', '\ufeff'];
const COMMENTS = [
  '/* x */',
  '/**/',
  "/* ' */",
  '/* " */',
  '/* ; */',
  '/* /* nested */ */',
  '-- x\n',
  "-- '\n",
  '/* -- */',
  '/*\n*/',
];

/** More blanks where there are some, so that no two strings become one. */
function blanks(sql: string, random: Random): string {
  return rewritten(sql, source(sql), (gap) => {
    if (gap === '' || /[^\s]/.test(gap) || random() < 0.3) return gap;
    // A line break between two strings makes one of them.
    const added = one(random, gap.includes('\n') ? BLANKS : BLANKS.filter((blank) => !/[\r\n]/.test(blank)));
    return added + gap;
  });
}

function comments(sql: string, random: Random): string {
  const commented = rewritten(sql, source(sql), (gap) => {
    if (gap === '' || /[^\s]/.test(gap) || random() < 0.5) return gap;
    const fitting = gap.includes('\n') ? COMMENTS : COMMENTS.filter((comment) => !comment.includes('\n'));
    return `${gap}${one(random, fitting)}${gap}`;
  });
  return random() < 0.3 ? `${one(random, COMMENTS)}${commented}` : commented;
}

/** A string in dollars is a string. */
function dollars(sql: string, random: Random): string {
  return rewritten(sql, (token, i, all) => {
    const text = source(sql)(token);
    const joined = [all[i - 1], all[i + 1]].some((other) => other?.type === 'string');
    if (token.type !== 'string' || joined || text !== quoteLiteral(token.value) || token.value.includes('$'))
      return text;
    return random() < 0.5 ? text : ` $d$${token.value}$d$ `;
  });
}

const ends = (sql: string, random: Random): string =>
  `${sql}${one(random, [';', ' ;;', '\n;\t;', ' ; -- x', ';/* x */'])}`;

/** How a text can be written otherwise and stay the same statement. */
export const OF_TEXT: Record<string, (sql: string, random: Random) => string> = {
  letters,
  quotes,
  blanks,
  comments,
  dollars,
  ends,
};

/** A statement in which a query is hidden. */
export const OF_QUERY: Record<string, (sql: string) => string> = {
  'common table expression': (sql) => `WITH disguise AS (${sql}\n) SELECT * FROM disguise`,
  materialized: (sql) => `WITH disguise AS MATERIALIZED (${sql}\n) FROM disguise`,
  subquery: (sql) => `SELECT * FROM (${sql}\n) AS disguise`,
  lateral: (sql) => `SELECT inner_one.* FROM (SELECT 1 AS one) AS outer_one, LATERAL (${sql}\n) AS inner_one`,
  union: (sql) => `(${sql}\n) UNION ALL (SELECT * FROM (${sql}\n) AS disguise WHERE false)`,
  brackets: (sql) => `((${sql}\n))`,
  text: (sql) => `FROM query(${quoteLiteral(sql)})`,
};

const QUERIES = new Set(['select', 'from', 'values', 'table', 'with', '(']);
const CHANGES = new Set(['insert', 'update', 'delete', 'merge']);

/** What a text begins with tells: `WITH … INSERT` is no query. */
export function kindOf(sql: string): 'query' | 'change' | 'other' {
  const tokens = tokensOf(sql) ?? [];
  const first = tokens[0]?.type === 'word' ? tokens[0].value : (tokens[0]?.text ?? '');
  if (tokens.some(({ text }) => text === ';')) return 'other';
  if (CHANGES.has(first)) return 'change';
  if (first === 'with' && tokens.some(({ type, value }) => type === 'word' && CHANGES.has(value))) return 'other';
  return QUERIES.has(first) ? 'query' : 'other';
}
