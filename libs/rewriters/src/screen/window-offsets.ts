import { fold, Token } from '../lexer';
import { ScreenRefusal } from './refusal';
import { BracketEnds, isOpening } from './written-object';

const SHIFTED = new Set(['lag', 'lead']);
/** Rows that `lag` and `lead` look back or ahead. */
const MAX_OFFSET = 1_000_000_000;

/** Refuses offsets of `lag` and `lead` that are no plain numbers: the least of all integers ends the engine's process. */
export function checkWindowOffsets(tokens: readonly Token[], ends: BracketEnds): void {
  tokens.forEach((token, i) => {
    const named = token.type === 'word' || token.type === 'quoted';
    if (!named || tokens[i + 1]?.text !== '(' || !SHIFTED.has(fold(token.value))) return;
    const offset = secondArgument(tokens, ends, i + 1);
    if (offset && (tokens[i - 1]?.text === '.' || !isPlainOffset(offset))) {
      const message = `the offset of ${fold(token.value)}() is a plain number of at most ${MAX_OFFSET}`;
      throw new ScreenRefusal('statement_too_large', message);
    }
  });
}

/** Of a call behind a dot what stands first may be the offset. */
function secondArgument(tokens: readonly Token[], ends: BracketEnds, open: number): readonly Token[] | null {
  const end = ends[open] as number;
  const starts = tokens[open - 2]?.text === '.' ? [open + 1] : [];
  for (let i = open + 1; i < end; i++) {
    const token = tokens[i] as Token;
    if (isOpening(token)) i = ends[i] as number;
    else if (token.text === ',' || (token.type === 'word' && ENDS.has(token.value))) {
      if (starts.length > 0) return tokens.slice(starts[0], i);
      if (token.text !== ',') return null;
      starts.push(i + 1);
    }
  }
  return starts.length > 0 && end > (starts[0] as number) ? tokens.slice(starts[0], end) : null;
}

/** Words behind the arguments of a window function. */
const ENDS = new Set(['order', 'ignore', 'respect']);

function isPlainOffset(tokens: readonly Token[]): boolean {
  const rest = tokens[0]?.text === '-' ? tokens.slice(1) : tokens;
  const [first, , text] = rest;
  if (rest.length === 1 && first?.type === 'word') return first.value === 'null';
  if (rest.length === 1) return first?.type === 'number' && Number(first.text.replaceAll('_', '')) <= MAX_OFFSET;
  // How a parameter is written into the statement.
  const cast = rest.length === 6 && first?.value === 'cast' && rest[3]?.value === 'as' && text?.type === 'string';
  return cast && Math.abs(Number(text.value)) <= MAX_OFFSET;
}
