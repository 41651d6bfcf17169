import { LexicalError, Token } from './token';

/**
 * The blanks that DuckDB's parser replaces by a space before it lexes (StripUnicodeSpaces), beside ASCII white space.
 * Any other non-ASCII character outside quotes is part of a word, as it is to the engine.
 */
const UNICODE_BLANK = /[\u00a0\u2000-\u200f\u202f\u205f-\u2063\u3000\ufeff]/;
const BLANK = /[ \t\n\r\f\v]/;
const WORD_START = /[A-Za-z_\u0080-\uffff]/;
const WORD_PART = /[A-Za-z0-9_$\u0080-\uffff]/;
const DIGIT = /[0-9]/;
const OPERATOR = /[~!@#^&|`+\-*/%<>=]/;
const PUNCTUATION = /[()[\]{},;.:]/;

interface Cursor {
  readonly source: string;
  at: number;
}

/**
 * Splits a statement as DuckDB does (the PostgreSQL rules plus its own), without calling it. Comments and blanks are
 * dropped, so that the text put together from the tokens is the very text that was examined.
 *
 * @throws LexicalError for an unterminated quote or comment, NUL, lone surrogates, `U&` strings.
 */
export function lex(source: string): Token[] {
  const cursor: Cursor = { source, at: 0 };
  const tokens: Token[] = [];
  for (;;) {
    const lineBreakBefore = skipBlanks(cursor);
    if (cursor.at >= source.length) return tokens;
    tokens.push({ ...next(cursor), lineBreakBefore });
  }
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
    const c = source[cursor.at];
    if (c === undefined) return lineBreak;
    if (BLANK.test(c) || UNICODE_BLANK.test(c)) {
      if (c === '\n' || c === '\r') lineBreak = true;
      cursor.at++;
    } else if (c === '-' && source[cursor.at + 1] === '-') {
      const end = indexOfLineEnd(source, cursor.at);
      cursor.at = end;
    } else if (c === '/' && source[cursor.at + 1] === '*') {
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

type Lexeme = Omit<Token, 'lineBreakBefore'>;

function next(cursor: Cursor): Lexeme {
  const { source, at } = cursor;
  const c = source[at] as string;
  if (c === '\0') throw new LexicalError('NUL character', at);
  if (c === "'") return string(at, quoted(cursor, at, "'"));
  if (c === '"') return identifier(cursor);
  if (c === '?') return fixed(cursor, c, 'parameter');
  if (c === '$') return dollar(cursor);
  if (DIGIT.test(c) || (c === '.' && DIGIT.test(source[at + 1] ?? ''))) return number(cursor);
  if (WORD_START.test(c)) return word(cursor);
  if (c === ':' && /[:=]/.test(source[at + 1] ?? '')) return fixed(cursor, source.slice(at, at + 2), 'operator');
  if (c === '.' && source[at + 1] === '.') return fixed(cursor, '..', 'punctuation');
  if (PUNCTUATION.test(c)) return fixed(cursor, c, 'punctuation');
  if (OPERATOR.test(c)) return operator(cursor);
  throw new LexicalError(`unexpected character ${JSON.stringify(c)}`, at);
}

function fixed(cursor: Cursor, text: string, type: Token['type']): Lexeme {
  cursor.at += text.length;
  return { type, text, value: text };
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

function string(start: number, value: string): Lexeme {
  refuseUnwritable(value, start);
  return { type: 'string', text: quoteLiteral(value), value };
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

function identifier(cursor: Cursor): Lexeme {
  const start = cursor.at;
  const value = quoted(cursor, start, '"');
  if (value === '') throw new LexicalError('empty quoted identifier', start);
  refuseUnwritable(value, start);
  return { type: 'quoted', text: quoteIdentifier(value), value };
}

function dollar(cursor: Cursor): Lexeme {
  const { source, at } = cursor;
  const parameter = /^\$(?:[0-9]+|[A-Za-z_][A-Za-z0-9_]*)(?!\$|[A-Za-z0-9_])/.exec(source.slice(at, at + 80));
  if (parameter) return fixed(cursor, parameter[0], 'parameter');
  const tag = /^\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/.exec(source.slice(at, at + 80));
  if (!tag) throw new LexicalError('unexpected "$"', at);
  const end = source.indexOf(tag[0], at + tag[0].length);
  if (end < 0) throw new LexicalError('unterminated dollar quote', at);
  cursor.at = end + tag[0].length;
  return string(at, source.slice(at + tag[0].length, end));
}

function number(cursor: Cursor): Lexeme {
  const rest = cursor.source.slice(cursor.at, cursor.at + 400);
  const found = /^(?:[0-9][0-9_]*(?:\.(?!\.)[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?/.exec(rest);
  const text = found?.[0] ?? '';
  if (text === '' || text.length >= 400) throw new LexicalError('malformed number', cursor.at);
  if (WORD_PART.test(rest[text.length] ?? '')) throw new LexicalError('a name that begins with a digit', cursor.at);
  return fixed(cursor, text, 'number');
}

function word(cursor: Cursor): Lexeme {
  const { source, at } = cursor;
  const prefixed = stringWithPrefix(cursor);
  if (prefixed) return prefixed;
  let end = at;
  while (end < source.length && WORD_PART.test(source[end] as string) && !UNICODE_BLANK.test(source[end] as string)) {
    end++;
  }
  const text = source.slice(at, end);
  refuseUnwritable(text, at);
  cursor.at = end;
  return { type: 'word', text, value: fold(text) };
}

/** Case folding of names as DuckDB does it: ASCII letters only. */
export function fold(name: string): string {
  return name.replace(/[A-Z]/g, (c) => c.toLowerCase());
}

function stringWithPrefix(cursor: Cursor): Lexeme | null {
  const { source, at } = cursor;
  if (source[at + 1] === "'") {
    const prefix = fold(source[at] as string);
    if (prefix === 'e') return string(at, escapeString(cursor, at + 1));
    if (prefix === 'x' || prefix === 'b' || prefix === 'n') {
      const value = quoted(cursor, at + 1, "'");
      const digits = prefix === 'x' ? /^[0-9A-Fa-f]*$/ : /^[01]*$/;
      if (prefix === 'n' || !digits.test(value)) throw new LexicalError('unsupported string prefix', at);
      return { type: 'string', text: `${prefix}'${value}'`, value };
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
function operator(cursor: Cursor): Lexeme {
  const { source, at } = cursor;
  let end = at;
  while (end < source.length && OPERATOR.test(source[end] as string)) {
    if (end > at && (source.startsWith('--', end) || source.startsWith('/*', end))) break;
    end++;
  }
  let text = source.slice(at, end);
  while (text.length > 1 && /[+-]$/.test(text) && !/[~!@#^&|`%]/.test(text)) text = text.slice(0, -1);
  return fixed(cursor, text, 'operator');
}
