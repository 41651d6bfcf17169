import { fold, Token } from '../lexer';
import { ScreenRefusal } from './refusal';
import { BracketEnds, isOpening } from './written-object';

const REDUCTIONS = new Set(['list_reduce', 'array_reduce', 'reduce']);
/** Calls whose result is no longer than what they are given. */
const STEPS = new Set(
  `concat list_concat array_concat list_append array_append greatest least coalesce abs round floor ceil sign lower trim
  length len`.split(/\s+/),
);
/** Words of the grammar before a bracket that are no calls. */
const WORDS = new Set(['in', 'and', 'or', 'not', 'when', 'then', 'else', 'case', 'between', 'like']);
const HOW =
  'list_reduce(l, (a, b) -> …) may use what it has so far once, and in concat, list_concat, list_append, greatest, least, coalesce or arithmetic alone';

/**
 * Refuses a reduction whose result grows by more than an element at each step: it would double, and the engine does not count
 * the memory of a value nor look at an interrupt in it.
 */
export function checkReductions(tokens: readonly Token[], ends: BracketEnds): void {
  tokens.forEach((token, i) => {
    const named = token.type === 'word' || token.type === 'quoted';
    if (named && tokens[i + 1]?.text === '(' && REDUCTIONS.has(fold(token.value))) checkStep(tokens, ends, i + 1);
  });
}

function checkStep(tokens: readonly Token[], ends: BracketEnds, open: number): void {
  const start = afterComma(tokens, ends, open + 1, ends[open] as number);
  const step = start === null ? null : lambdaAt(tokens, start);
  if (!step) refuse();
  const end = afterComma(tokens, ends, step.body, ends[open] as number) ?? (ends[open] as number) + 1;
  let uses = 0;
  for (let i = step.body; i < end - 1; i++) {
    const token = tokens[i] as Token;
    const named = token.type === 'word' || token.type === 'quoted';
    if (token.text === '->' || (token.type === 'word' && token.value === 'lambda')) refuse();
    if (!named) continue;
    if (tokens[i + 1]?.text === '(' && !STEPS.has(fold(token.value)) && !WORDS.has(token.value)) refuse();
    if (fold(token.value) === step.accumulator) uses++;
  }
  if (uses > 1) refuse();
}

/** Behind the first comma outside of brackets. */
function afterComma(tokens: readonly Token[], ends: BracketEnds, from: number, end: number): number | null {
  for (let i = from; i < end; i++) {
    const token = tokens[i] as Token;
    if (isOpening(token)) i = ends[i] as number;
    else if (token.text === ',') return i + 1;
  }
  return null;
}

/** `(a, b) -> body`, `lambda a, b : body`: the folded name of what the steps before have made, and where the body begins. */
function lambdaAt(tokens: readonly Token[], at: number): { accumulator: string; body: number } | null {
  const bracket = tokens[at]?.text === '(';
  const word = tokens[at]?.type === 'word' && tokens[at]?.value === 'lambda';
  const name = tokens[at + 1];
  if ((!bracket && !word) || !name) return null;
  let i = at + 1;
  while (i < tokens.length && tokens[i]?.text !== (bracket ? ')' : ':')) i++;
  if (bracket && tokens[i + 1]?.text !== '->') return null;
  return { accumulator: fold(name.value), body: bracket ? i + 2 : i + 1 };
}

function refuse(): never {
  throw new ScreenRefusal('access_denied', HOW, 'function');
}
