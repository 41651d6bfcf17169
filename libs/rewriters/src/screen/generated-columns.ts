import { fold, Token } from '../lexer';
import { ScreenRefusal } from './refusal';
import { BracketEnds, isName, isOpening } from './written-object';

/** Words and signs of a generated column in which each other one is written out: the engine does so while it binds. */
const MAX_GENERATED = 10_000;

interface Generated {
  readonly names: string[];
  readonly words: number;
}

/** Refuses a table whose generated columns stand for much: each of them twice in the next makes a million of twenty. */
export function checkGeneratedColumns(tokens: readonly Token[], ends: BracketEnds): void {
  if (tokens[0]?.type !== 'word' || tokens[0].value !== 'create') return;
  const open = tokens.findIndex(({ text }) => text === '(');
  if (open < 0) return;
  const columns = generatedIn(tokens, ends, open);
  const weights = new Map<string, number>();
  const weigh = (name: string): number => {
    const known = weights.get(name);
    const column = columns.get(name);
    if (known !== undefined || !column) return known ?? 0;
    // A column that hangs on itself is refused by the engine.
    weights.set(name, 0);
    const weight = Math.min(
      column.names.reduce((sum, each) => sum + weigh(each), column.words),
      MAX_GENERATED + 1,
    );
    weights.set(name, weight);
    return weight;
  };
  for (const name of columns.keys()) {
    if (weigh(name) <= MAX_GENERATED) continue;
    const message = `a generated column that stands for over ${MAX_GENERATED} words and signs`;
    throw new ScreenRefusal('statement_too_large', message);
  }
}

/** The generated columns of a table by name: `a INT GENERATED ALWAYS AS (…)`, `a AS (…)`. */
function generatedIn(tokens: readonly Token[], ends: BracketEnds, open: number): Map<string, Generated> {
  const columns = new Map<string, Generated>();
  const end = ends[open] as number;
  let start = open + 1;
  for (let i = open + 1; i < end; i++) {
    const token = tokens[i] as Token;
    if (token.text === ',') start = i + 1;
    else if (isOpening(token)) {
      const close = ends[i] as number;
      const column = tokens[start];
      if (tokens[i - 1]?.value === 'as' && isName(column)) {
        const names = tokens.slice(i + 1, close).filter(isName);
        columns.set(fold(column.value), { names: names.map(({ value }) => fold(value)), words: close - i });
      }
      i = close;
    }
  }
  return columns;
}
