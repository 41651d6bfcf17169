import { Finding } from '../description';
import { fold, Token } from '../lexer';
import { bracketEnds } from './written-object';

/**
 * What a tenant user's CREATE or ALTER TABLE may not hold: defaults, generated columns and checks are worked out again by those
 * who write to the table, in sessions of their own, and what comes out stays in it.
 */
export function tableDefinitionFindings(tokens: readonly Token[]): Finding[] {
  const reads = definitionOf(tokens).some((token, i, all) => isCallOf('getvariable', token, all[i + 1]));
  const message = 'getvariable() in the definition of a table would read the variables of whoever writes to it';
  return reads ? [{ rule: 'function', message, bindsSuperusers: false }] : [];
}

function isCallOf(name: string, token: Token, next: Token | undefined): boolean {
  return next?.text === '(' && token.type !== 'string' && fold(token.value) === name;
}

/** All of an ALTER; of a CREATE what is between its brackets, and nothing of the query behind AS. */
function definitionOf(tokens: readonly Token[]): readonly Token[] {
  if (tokens[0]?.value !== 'create') return tokens;
  const open = tokens.findIndex(({ text }) => text === '(');
  const query = tokens.findIndex(({ type, value }) => type === 'word' && value === 'as');
  if (open < 0 || (query >= 0 && query < open)) return [];
  return tokens.slice(open, bracketEnds(tokens)[open]);
}
