import { LexicalError, Token, TooManyTokens } from './token';

/**
 * The blanks that DuckDB's parser replaces by a space before it lexes (StripUnicodeSpaces), beside ASCII white space.
 * Any other non-ASCII character outside quotes is part of a word, as it is to the engine.
 */
const UNICODE_BLANK = /[\u00a0\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]/;

const BLANK = 1;
const WORD_START = 2;
const DIGIT = 4;
const WORD_PART = 8;
const OPERATOR = 16;
const PUNCTUATION = 32;

/** What each ASCII character is; a table, for every statement passes here character by character. */
const ASCII = new Uint8Array(128);
const mark = (characters: string, flags: number) => {
  for (const c of characters) ASCII[c.charCodeAt(0)] = (ASCII[c.charCodeAt(0)] as number) | flags;
};
mark(' \t\n\r\f\v', BLANK);
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_', WORD_START | WORD_PART);
mark('0123456789', DIGIT | WORD_PART);
mark('$', WORD_PART);
mark('~!@#^&|`+-*/%<>=', OPERATOR);
mark('()[]{},;.:', PUNCTUATION);

/** The flags of the character at a place; 0 at the end. */
function classAt(source: string, at: number): number {
  if (at >= source.length) return 0;
  const code = source.charCodeAt(at);
  if (code < 128) return ASCII[code] as number;
  return UNICODE_BLANK.test(source[at] as string) ? BLANK : WORD_START | WORD_PART;
}

interface Cursor {
  readonly source: string;
  at: number;
  /** `${name}` is a token; elsewhere it is no SQL. */
  readonly placeholders?: true;
}

/**
 * Splits a statement as DuckDB does (the PostgreSQL rules plus its own), without calling it. Comments and blanks are
 * dropped, so that the text put together from the tokens is the very text that was examined.
 *
 * @param atMost tokens: a longer text is not read to its end
 * @throws LexicalError for an unterminated quote or comment, NUL, lone surrogates, `U&` strings; TooManyTokens
 */
export function lex(source: string, atMost = Number.POSITIVE_INFINITY): Token[] {
  return tokensOf({ source, at: 0 }, atMost);
}

/**
 * As `lex`, for texts of administrators in which `${name}` stands for a value: a token of its own, outside of strings,
 * quoted identifiers and comments. No statement of a user is lexed so.
 */
export function lexTemplate(source: string, atMost: number): Token[] {
  return tokensOf({ source, at: 0, placeholders: true }, atMost);
}

function tokensOf(cursor: Cursor, atMost: number): Token[] {
  const { source } = cursor;
  const tokens: Token[] = [];
  for (;;) {
    const lineBreakBefore = skipBlanks(cursor);
    if (cursor.at >= source.length) return tokens;
    if (tokens.length >= atMost) throw new TooManyTokens();
    tokens.push(placed(cursor, lineBreakBefore));
  }
}

/**
 * The first tokens of a text, at most `atMost`, or those before what the lexer does not accept: what a statement begins
 * with can be told of one that is not complete, and costs the same however long it is.
 */
export function firstTokens(source: string, atMost: number): Token[] {
  const cursor: Cursor = { source, at: 0 };
  const tokens: Token[] = [];
  try {
    while (tokens.length < atMost) {
      const lineBreakBefore = skipBlanks(cursor);
      if (cursor.at >= source.length) break;
      tokens.push(placed(cursor, lineBreakBefore));
    }
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
  }
  return tokens;
}

function placed(cursor: Cursor, lineBreakBefore: boolean): Token {
  const start = cursor.at;
  const token = next(cursor);
  token.lineBreakBefore = lineBreakBefore;
  token.start = start;
  token.end = cursor.at;
  return token;
}

/** The text that the engine is given: every token apart, strings of two lines kept on two lines. */
export function render(tokens: readonly Token[]): string {
  let text = '';
  tokens.forEach((token, i) => {
    const joins = token.type === 'string' && tokens[i - 1]?.type === 'string' && token.lineBreakBefore;
    text += (i === 0 ? '' : joins ? '\n' : ' ') + token.text;
  });
  return text;
}

function skipBlanks(cursor: Cursor): boolean {
  const { source } = cursor;
  let lineBreak = false;
  for (;;) {
    if (classAt(source, cursor.at) === BLANK) {
      const code = source.charCodeAt(cursor.at++);
      if (code === 10 || code === 13) lineBreak = true;
    } else if (source.startsWith('--', cursor.at)) {
      cursor.at = indexOfLineEnd(source, cursor.at);
    } else if (source.startsWith('/*', cursor.at)) {
      skipBlockComment(cursor);
    } else return lineBreak;
  }
}

function indexOfLineEnd(source: string, from: number): number {
  for (let i = from; i < source.length; i++) if (source[i] === '\n' || source[i] === '\r') return i;
  return source.length;
}

function skipBlockComment(cursor: Cursor): void {
  const { source, at: start } = cursor;
  let depth = 0;
  do {
    if (source.startsWith('/*', cursor.at)) {
      depth++;
      cursor.at += 2;
    } else if (source.startsWith('*/', cursor.at)) {
      depth--;
      cursor.at += 2;
    } else if (cursor.at >= source.length) throw new LexicalError('unterminated comment', start);
    else cursor.at++;
  } while (depth > 0);
}

function next(cursor: Cursor): Token {
  const { source, at } = cursor;
  const c = source[at] as string;
  const flags = classAt(source, at);
  if (flags & WORD_START) return word(cursor);
  if (flags & DIGIT || (c === '.' && classAt(source, at + 1) & DIGIT)) return number(cursor);
  if (c === "'") return string(at, quoted(cursor, at, "'"));
  if (c === '"') return identifier(cursor);
  if (c === '?') return fixed(cursor, c, 'parameter');
  if (c === '$') return dollar(cursor);
  if (c === ':' && (source[at + 1] === ':' || source[at + 1] === '=')) {
    return fixed(cursor, source.slice(at, at + 2), 'operator');
  }
  if (c === '.' && source[at + 1] === '.') return fixed(cursor, '..', 'punctuation');
  if (flags & PUNCTUATION) return fixed(cursor, c, 'punctuation');
  if (flags & OPERATOR) return operator(cursor);
  throw new LexicalError(c === '\0' ? 'NUL character' : `unexpected character ${JSON.stringify(c)}`, at);
}

function fixed(cursor: Cursor, text: string, type: Token['type']): Token {
  cursor.at += text.length;
  return { type, text, value: text, lineBreakBefore: false, start: 0, end: 0 };
}

/** Reads a quoted run from `start` (at its quote), doubling undone; leaves the cursor behind it. */
function quoted(cursor: Cursor, start: number, quote: string): string {
  const { source } = cursor;
  let value = '';
  let i = start + 1;
  for (;;) {
    const end = source.indexOf(quote, i);
    if (end < 0) throw new LexicalError('unterminated quote', start);
    value += source.slice(i, end);
    if (source[end + 1] !== quote) {
      cursor.at = end + 1;
      return value;
    }
    value += quote;
    i = end + 2;
  }
}

function string(start: number, value: string): Token {
  refuseUnwritable(value, start);
  return { type: 'string', text: quoteLiteral(value), value, lineBreakBefore: false, start: 0, end: 0 };
}

/** A string literal of DuckDB; the one place where text of a user becomes a literal. */
export function quoteLiteral(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** A quoted identifier of DuckDB; the one place where a name becomes SQL. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function refuseUnwritable(value: string, at: number): void {
  if (value.includes('\0')) throw new LexicalError('NUL character', at);
  if (!value.isWellFormed()) throw new LexicalError('text that is not valid Unicode', at);
}

function identifier(cursor: Cursor): Token {
  const start = cursor.at;
  const value = quoted(cursor, start, '"');
  if (value === '') throw new LexicalError('empty quoted identifier', start);
  refuseUnwritable(value, start);
  return { type: 'quoted', text: quoteIdentifier(value), value, lineBreakBefore: false, start: 0, end: 0 };
}

/** What stands between the braces of a placeholder; which names there are is not the lexer's business. */
const PLACEHOLDER = /^\$\{([A-Za-z0-9_.]{1,128})\}/;

function dollar(cursor: Cursor): Token {
  const { source, at } = cursor;
  const placeholder = cursor.placeholders && PLACEHOLDER.exec(source.slice(at, at + 140));
  if (placeholder) return { ...fixed(cursor, placeholder[0], 'placeholder'), value: placeholder[1] as string };
  const parameter = /^\$(?:[0-9]+|[A-Za-z_][A-Za-z0-9_]*)(?!\$|[A-Za-z0-9_])/.exec(source.slice(at, at + 80));
  if (parameter) return fixed(cursor, parameter[0], 'parameter');
  const tag = /^\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/.exec(source.slice(at, at + 80));
  if (!tag) throw new LexicalError('unexpected "$"', at);
  const end = source.indexOf(tag[0], at + tag[0].length);
  if (end < 0) throw new LexicalError('unterminated dollar quote', at);
  cursor.at = end + tag[0].length;
  return string(at, source.slice(at + tag[0].length, end));
}

function number(cursor: Cursor): Token {
  const rest = cursor.source.slice(cursor.at, cursor.at + 400);
  const found = /^(?:[0-9][0-9_]*(?:\.(?!\.)[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?/.exec(rest);
  const text = found?.[0] ?? '';
  if (text === '' || text.length >= 400) throw new LexicalError('malformed number', cursor.at);
  if (classAt(rest, text.length) & WORD_PART) throw new LexicalError('a name that begins with a digit', cursor.at);
  return fixed(cursor, text, 'number');
}

function word(cursor: Cursor): Token {
  const { source, at } = cursor;
  const quote = source[at + 1];
  if (quote === "'" || quote === '&') {
    const prefixed = stringWithPrefix(cursor);
    if (prefixed) return prefixed;
  }
  let end = at + 1;
  while (classAt(source, end) & WORD_PART) end++;
  const text = source.slice(at, end);
  const value = fold(text);
  refuseUnwritable(text, at);
  cursor.at = end;
  return { type: 'word', text, value, lineBreakBefore: false, start: 0, end: 0 };
}

/** Case folding of names as DuckDB does it: ASCII letters only. */
export function fold(name: string): string {
  let capitals = false;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code > 127) return name.replace(/[A-Z]/g, (c) => c.toLowerCase());
    if (code >= 65 && code <= 90) capitals = true;
  }
  return capitals ? name.toLowerCase() : name;
}

function stringWithPrefix(cursor: Cursor): Token | null {
  const { source, at } = cursor;
  if (source[at + 1] === "'") {
    const prefix = fold(source[at] as string);
    if (prefix === 'e') return string(at, escapeString(cursor, at + 1));
    if (prefix === 'x' || prefix === 'b' || prefix === 'n') {
      const value = quoted(cursor, at + 1, "'");
      const digits = prefix === 'x' ? /^[0-9A-Fa-f]*$/ : /^[01]*$/;
      if (prefix === 'n' || !digits.test(value)) throw new LexicalError('unsupported string prefix', at);
      return { type: 'string', text: `${prefix}'${value}'`, value, lineBreakBefore: false, start: 0, end: 0 };
    }
  }
  if (/^[uU]&['"]/.test(source.slice(at, at + 3))) throw new LexicalError('unsupported string prefix U&', at);
  return null;
}

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function escapeString(cursor: Cursor, start: number): string {
  const { source } = cursor;
  let value = '';
  for (let i = start + 1; i < source.length; i++) {
    const c = source[i] as string;
    if (c === "'") {
      if (source[i + 1] !== "'") {
        cursor.at = i + 1;
        return value;
      }
      value += "'";
      i++;
    } else if (c === '\\') {
      const escape = /^(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|([^])|$)/.exec(
        source.slice(i + 1, i + 10),
      );
      const [all = '', hex, u4, u8, octal, plain] = escape ?? [];
      const code = hex ?? u4 ?? u8;
      if (code !== undefined || octal !== undefined) {
        const point = code === undefined ? parseInt(octal as string, 8) : parseInt(code, 16);
        // The engine writes raw bytes for \x80 and above: what they mean depends on their neighbours.
        if (point === 0 || point > 0x10ffff || ((hex ?? octal) !== undefined && point > 0x7f))
          throw new LexicalError('unsupported escape', i);
        value += String.fromCodePoint(point);
      } else value += ESCAPES[plain ?? ''] ?? plain ?? '';
      i += all.length;
    } else value += c;
  }
  throw new LexicalError('unterminated quote', start);
}

/** The PostgreSQL rule for operators: longest run, cut before a comment, no trailing + or - unless a special one is in it. */
function operator(cursor: Cursor): Token {
  const { source, at } = cursor;
  let end = at;
  while (classAt(source, end) & OPERATOR) {
    if (end > at && (source.startsWith('--', end) || source.startsWith('/*', end))) break;
    end++;
  }
  let text = source.slice(at, end);
  while (text.length > 1 && /[+-]$/.test(text) && !/[~!@#^&|`%]/.test(text)) text = text.slice(0, -1);
  return fixed(cursor, text, 'operator');
}
