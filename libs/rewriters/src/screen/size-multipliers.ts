import { Token } from '../lexer';
import { ScreenRefusal } from './refusal';

/** Largest constant handed to a function whose result grows with it, and largest product of nested ones. */
const MAX_CONSTANT = 1_000_000;

/** Functions whose result grows with a number in their arguments: folded while the engine binds, without interrupt. */
const MULTIPLIERS = new Set(
  'repeat lpad rpad range generate_series list_resize array_resize repeat_row bar bitstring to_base format printf'.split(
    ' ',
  ),
);

/**
 * Refuses a size multiplier over constants that are large, or computed and so of unknown size. One over a column is left
 * to the limits of time and memory: it is not folded.
 */
export function checkSizeMultipliers(tokens: readonly Token[]): void {
  for (let i = 1; i < tokens.length; i++) if (isCall(tokens, i)) checkCall(tokens, i - 1);
}

/** Whether the bracket at `i` opens the arguments of one. `FROM range(…)` streams its rows, so it multiplies nothing. */
function isCall(tokens: readonly Token[], i: number): boolean {
  if (tokens[i]?.text !== '(') return false;
  const name = tokens[i - 1] as Token;
  if (name.type !== 'word' && name.type !== 'quoted') return false;
  if (!MULTIPLIERS.has(name.value.toLowerCase())) return false;
  const before = tokens[i - 2];
  return !(before?.type === 'word' && (before.value === 'from' || before.value === 'join'));
}

function checkCall(tokens: readonly Token[], start: number): void {
  const end = closing(tokens, start + 1);
  const args = tokens.slice(start + 2, end);
  let product = 1;
  let computed = false;
  for (const [i, token] of args.entries()) {
    const call = args[i + 1]?.text === '(';
    if ((token.type === 'word' || token.type === 'quoted') && !call && args[i - 1]?.text !== '::') {
      if (!CONSTANT_WORDS.has(token.value)) return;
    }
    if (token.type === 'number') product *= Math.max(1, Number(token.text.replaceAll('_', '')));
    if (token.type === 'string') product *= Math.max(1, ...(token.value.match(/\d{1,18}/g) ?? []).map(Number));
    if (token.type === 'operator' && token.text !== '::' && token.text !== '-') computed = true;
    if (call && !MULTIPLIERS.has(token.value.toLowerCase())) computed = true;
  }
  if (computed) {
    throw new ScreenRefusal('statement_too_large', `${tokens[start]?.value}() takes plain constants or columns here`);
  }
  if (product > MAX_CONSTANT) {
    throw new ScreenRefusal(
      'statement_too_large',
      `${tokens[start]?.value}() takes constants of at most ${MAX_CONSTANT}`,
    );
  }
}

const CONSTANT_WORDS = new Set(
  'null true false date timestamp interval time day days month year hour second'.split(' '),
);

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i]?.text === '(') depth++;
    if (tokens[i]?.text === ')' && --depth === 0) return i;
  }
  return tokens.length;
}
