import { fold, Token } from '../lexer';
import { isOpening, nameAt, WrittenObject } from '../screen';

/** The table that a statement writes to, and the places of what its policies are put into. */
export interface WriteTarget {
  verb: 'insert' | 'update' | 'delete' | 'truncate' | 'merge';
  parts: readonly string[];
  /** The name by which the statement's own expressions mean it. */
  alias: string;
  /** Its own WHERE; null when it has none. */
  where: number | null;
  /** Its own RETURNING; null when it has none. */
  returning: number | null;
}

const VERBS: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'truncate', 'merge']);

/** The target of a statement that changes rows; null for any other. `objects` are those that its tokens tell. */
export function writeTarget(tokens: readonly Token[], objects: readonly WrittenObject[]): WriteTarget | null {
  const target = objects.find(({ access }) => access === 'insert' || access === 'update' || access === 'delete');
  if (!target) return null;
  const { next } = nameAt(tokens, target.at);
  const verb = verbBefore(tokens, target.at);
  if (verb === null) return null;
  return {
    verb,
    parts: target.parts,
    alias: aliasAt(tokens, next) ?? (target.parts[target.parts.length - 1] as string),
    where: verb === 'update' || verb === 'delete' ? outermost(tokens, next, 'where') : null,
    returning: outermost(tokens, next, 'returning'),
  };
}

function verbBefore(tokens: readonly Token[], at: number): WriteTarget['verb'] | null {
  for (let i = at - 1; i >= 0 && tokens[i]?.type === 'word'; i--) {
    const { value } = tokens[i] as Token;
    if (VERBS.has(value)) return value as WriteTarget['verb'];
  }
  return null;
}

/** `UPDATE t AS a SET`, `DELETE FROM t a USING`. */
function aliasAt(tokens: readonly Token[], next: number): string | null {
  const word = tokens[next];
  const as = word?.type === 'word' && word.value === 'as';
  const token = as ? tokens[next + 1] : word;
  if (token?.type === 'quoted') return token.value;
  if (token?.type !== 'word' || (!as && AFTER_TARGET.has(fold(token.value)))) return null;
  return token.text;
}

/** What stands behind a target that has no alias. */
const AFTER_TARGET = new Set('set where using returning values select from with table default by on when'.split(' '));

/** A word outside of all brackets. */
function outermost(tokens: readonly Token[], from: number, word: string): number | null {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (isOpening(token)) depth++;
    else if (token.type === 'punctuation' && (token.text === ')' || token.text === ']' || token.text === '}')) depth--;
    else if (depth === 0 && token.type === 'word' && token.value === word) return i;
  }
  return null;
}
