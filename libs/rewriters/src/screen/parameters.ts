import { quoteLiteral, Token } from '../lexer';
import { ScreenRefusal } from './refusal';

export type ParameterValue = string | number | boolean | null;

/** More values than any client binds; each is a token of the statement. */
const MAX_PARAMETERS = 10_000;

/** @throws ScreenRefusal `invalid_parameters` */
export function checkCount(values: readonly ParameterValue[]): void {
  if (values.length > MAX_PARAMETERS) refuse(`at most ${MAX_PARAMETERS} parameters`);
}

/**
 * Writes values where `?` or `$1` stands, always as `CAST('…' AS T)`: numbers too, so that no value can join its
 * neighbours (`-$1` of -1 is no comment). The engine cannot describe many texts that hold parameters.
 *
 * @throws ScreenRefusal `invalid_parameters`
 */
export function withParameters(tokens: readonly Token[], values: readonly ParameterValue[]): Token[] {
  return substitute(tokens, values.length, (index, at) => literal(values[index] as ParameterValue, at));
}

/**
 * Puts what `valueOf` gives in the place of each parameter; all `count` values must be used.
 *
 * @throws ScreenRefusal `invalid_parameters`
 */
export function substitute(
  tokens: readonly Token[],
  count: number,
  valueOf: (index: number, at: Token) => Token[],
): Token[] {
  if (count > MAX_PARAMETERS) refuse(`at most ${MAX_PARAMETERS} parameters`);
  let next = 0;
  let mixed = false;
  const used = new Set<number>();
  const written = tokens.flatMap((token) => {
    if (token.type !== 'parameter') return [token];
    const index = token.text === '?' ? next++ : numbered(token.text);
    mixed ||= next > 0 && token.text !== '?';
    if (index >= count) refuse(`${token.text} has no value: ${count} given`);
    used.add(index);
    return valueOf(index, token);
  });
  if (mixed || (next > 0 && used.size > next)) refuse('? and $1 do not mix');
  if (used.size < count) refuse(`${count} values for ${used.size} parameters`);
  return written;
}

function refuse(detail: string): never {
  throw new ScreenRefusal('invalid_parameters', detail);
}

function numbered(text: string): number {
  const number = /^\$([1-9][0-9]{0,5})$/.exec(text)?.[1];
  if (number === undefined) refuse(`${text}: parameters are ? or $1, $2, …`);
  return Number(number) - 1;
}

function literal(value: ParameterValue, at: Token): Token[] {
  const make = (type: Token['type'], text: string, decoded = text): Token => ({
    type,
    text,
    value: decoded,
    lineBreakBefore: at.lineBreakBefore,
    start: at.start,
    end: at.end,
  });
  const cast = (text: string, type: string): Token[] => [
    make('word', 'CAST', 'cast'),
    make('punctuation', '('),
    make('string', quoteLiteral(text), text),
    make('word', 'AS', 'as'),
    make('word', type, type.toLowerCase()),
    make('punctuation', ')'),
  ];
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) refuse('numbers must be finite');
      return Number.isSafeInteger(value) ? cast(String(value), 'BIGINT') : cast(String(value), 'DOUBLE');
    case 'boolean':
      return cast(String(value), 'BOOLEAN');
    case 'string':
      if (value.includes('\0') || !value.isWellFormed()) refuse('text must be valid Unicode without NUL');
      return cast(value, 'VARCHAR');
    default:
      return [make('word', 'NULL', 'null')];
  }
}
