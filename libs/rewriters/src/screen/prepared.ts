import { fold, render, Token } from '../lexer';
import { substitute } from './parameters';
import { ScreenRefusal } from './refusal';

/** A statement that was prepared: the session keeps it as text, the engine never hears of it. */
export interface PreparedText {
  tokens: readonly Token[];
  /** How many values EXECUTE has to give. */
  parameters: number;
  /** Characters of its text. */
  length: number;
}

/** What PREPARE, EXECUTE and DEALLOCATE ask of the session. Names are folded. */
export type Preparation =
  | { type: 'prepare'; name: string; prepared: PreparedText }
  | { type: 'execute'; name: string; values: readonly (readonly Token[])[] }
  /** `name` null: all of them. */
  | { type: 'deallocate'; name: string | null };

/**
 * `PREPARE n AS statement`, `EXECUTE n [(literal, …)]`, `DEALLOCATE [PREPARE] n|ALL`; null for every other statement.
 *
 * @throws ScreenRefusal `sql_error`, `invalid_parameters`
 */
export function preparationIn(tokens: readonly Token[]): Preparation | null {
  const [first] = tokens;
  if (first?.type !== 'word') return null;
  switch (first.value) {
    case 'prepare':
      return prepare(tokens);
    case 'execute':
      return execute(tokens);
    case 'deallocate':
      return deallocate(tokens);
    default:
      return null;
  }
}

function prepare(tokens: readonly Token[]): Preparation {
  const as = tokens[2];
  if (as?.type !== 'word' || as.value !== 'as' || tokens.length < 4) {
    throw new ScreenRefusal('sql_error', 'PREPARE is written PREPARE name AS statement');
  }
  const statement = tokens.slice(3);
  const prepared = { tokens: statement, parameters: countOf(statement), length: render(statement).length };
  return { type: 'prepare', name: nameOf(tokens[1]), prepared };
}

/** `?` and `$1` do not mix, which is told when values are put in. */
function countOf(tokens: readonly Token[]): number {
  let [marks, highest] = [0, 0];
  for (const { type, text } of tokens) {
    if (type !== 'parameter') continue;
    if (text === '?') marks++;
    else highest = Math.max(highest, Number(/^\$([0-9]{1,6})$/.exec(text)?.[1] ?? 0));
  }
  return Math.max(marks, highest);
}

function execute(tokens: readonly Token[]): Preparation {
  const name = nameOf(tokens[1]);
  if (tokens.length === 2) return { type: 'execute', name, values: [] };
  if (tokens[2]?.text !== '(' || tokens[tokens.length - 1]?.text !== ')') {
    throw new ScreenRefusal('sql_error', 'EXECUTE is written EXECUTE name or EXECUTE name(value, …)');
  }
  const inner = tokens.slice(3, -1);
  return { type: 'execute', name, values: inner.length === 0 ? [] : listOf(inner) };
}

function listOf(tokens: readonly Token[]): Token[][] {
  const values: Token[][] = [[]];
  for (const token of tokens) {
    if (token.text === ',' && token.type === 'punctuation') values.push([]);
    else values[values.length - 1]?.push(token);
  }
  for (const [i, value] of values.entries()) {
    if (!isLiteral(value)) {
      throw new ScreenRefusal(
        'invalid_parameters',
        `value ${i + 1} of EXECUTE must be a literal: a number, a text, TRUE, FALSE, NULL, or DATE '…' and the like`,
      );
    }
  }
  return values;
}

const CONSTANTS = new Set(['true', 'false', 'null']);
/** Types whose name may stand before a text, or in a cast of one. */
const TYPES = new Set('date time timestamp timestamptz interval bigint double boolean varchar'.split(' '));

/** A value and nothing that could be computed: what it stands for is seen, and is one value. */
function isLiteral(tokens: readonly Token[]): boolean {
  const [a, b] = tokens;
  switch (tokens.length) {
    case 1:
      return a?.type === 'number' || a?.type === 'string' || (a?.type === 'word' && CONSTANTS.has(a.value));
    case 2:
      if (a?.text === '-' || a?.text === '+') return b?.type === 'number';
      return isType(a) && b?.type === 'string';
    case 6:
      return isWrittenParameter(tokens);
    default:
      return false;
  }
}

/** `CAST('…' AS T)`: a parameter of the call. */
function isWrittenParameter(tokens: readonly Token[]): boolean {
  const [cast, open, text, as, type, close] = tokens;
  return (
    cast?.type === 'word' &&
    cast.value === 'cast' &&
    open?.text === '(' &&
    text?.type === 'string' &&
    as?.value === 'as' &&
    isType(type) &&
    close?.text === ')'
  );
}

function isType(token: Token | undefined): boolean {
  return token?.type === 'word' && TYPES.has(token.value);
}

function deallocate(tokens: readonly Token[]): Preparation {
  const at = tokens[1]?.type === 'word' && tokens[1].value === 'prepare' && tokens.length > 2 ? 2 : 1;
  if (tokens.length !== at + 1) throw new ScreenRefusal('sql_error', 'DEALLOCATE is written DEALLOCATE name');
  const all = tokens[at]?.type === 'word' && tokens[at].value === 'all';
  return { type: 'deallocate', name: all ? null : nameOf(tokens[at]) };
}

function nameOf(token: Token | undefined): string {
  if (token?.type !== 'word' && token?.type !== 'quoted') {
    throw new ScreenRefusal('sql_error', 'a prepared statement has a name');
  }
  return fold(token.value);
}

const NULL = { type: 'word', text: 'NULL', value: 'null', lineBreakBefore: false } as const;

/** The tokens with NULL for every parameter: how PREPARE is judged. */
export function withNulls({ tokens, parameters }: PreparedText): Token[] {
  return substitute(tokens, parameters, (_, { start, end }) => [{ ...NULL, start, end }]);
}

/**
 * The tokens with the values that EXECUTE gives, each in brackets.
 *
 * @throws ScreenRefusal `invalid_parameters`
 */
export function withValues({ tokens }: PreparedText, values: readonly (readonly Token[])[]): Token[] {
  return substitute(tokens, values.length, (index, at) => {
    const bracket = (text: string): Token => ({
      type: 'punctuation',
      text,
      value: text,
      lineBreakBefore: at.lineBreakBefore,
      start: at.start,
      end: at.end,
    });
    return [bracket('('), ...(values[index] as Token[]), bracket(')')];
  });
}
