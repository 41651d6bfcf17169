import { functionFinding } from '../classification';
import { Token } from '../lexer';
import { isGrammarWord, NOT_CALLS } from './statement-kinds';
import { BracketEnds, bracketEnds } from './written-object';

/** Names before "(" that may be calls: all but grammar words, and names that define columns or an alias. */
export function callNames(tokens: readonly Token[]): string[] {
  const names: string[] = [];
  const ends = bracketEnds(tokens);
  tokens.forEach((token, i) => {
    if (tokens[i + 1]?.text !== '(' || (token.type !== 'word' && token.type !== 'quoted')) return;
    const known = functionFinding(token.value, 'scalar')?.unclassified === undefined;
    if (!known && token.type === 'word' && NOT_CALLS.has(token.value)) return;
    if (!known && namesColumns(tokens, i, ends)) return;
    names.push(token.value);
  });
  return names;
}

/** `UNION [ALL] BY NAME (…)`. */
function isByName(tokens: readonly Token[], i: number): boolean {
  const [name, by, all] = [tokens[i], tokens[i - 1], tokens[i - 2]];
  if (name?.type !== 'word' || name.value !== 'name' || by?.type !== 'word' || by.value !== 'by') return false;
  const union = all?.type === 'word' && all.value === 'all' ? tokens[i - 3] : all;
  return union?.type === 'word' && union.value === 'union';
}

const BEFORE_COLUMN_LIST = new Set(
  'into table view exists as with recursive references on update merge copy index execute prepare'.split(' '),
);

/** `INSERT INTO t (…)`, `CREATE TABLE t (…)`, `AS alias (…)`, `t alias (…)`, `WITH name (…) AS`: no call can stand there. */
function namesColumns(tokens: readonly Token[], i: number, ends: BracketEnds): boolean {
  let start = i;
  while (tokens[start - 1]?.text === '.' && start >= 2) start -= 2;
  const before = tokens[start - 1];
  if (!before) return false;
  if (isByName(tokens, i)) return true;
  if (before.type === 'word') return BEFORE_COLUMN_LIST.has(before.value) || !isGrammarWord(before.value);
  if (before.type === 'quoted' || before.text === ')') return true;
  return (
    before.text === ',' && tokens[(ends[i + 1] as number) + 1]?.value === 'as' && tokens.some((t) => t.value === 'with')
  );
}
