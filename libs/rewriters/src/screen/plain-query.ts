import { classOfFunction } from '../classification';
import { Token } from '../lexer';
import { NOT_CALLS } from './statement-kinds';

/** Words that put into a query what its plan does not show, or shows under another name. */
const TREE_WORDS = new Set('with describe show summarize pivot unpivot'.split(' '));

/** A name or a text that holds one of these may be a file to the engine. */
const FILE_CHARACTER = /[./\\*?:[\]{}]/;

/**
 * Whether the tokens of a SELECT tell all that its syntax tree would: then the plan alone describes it, if the catalog
 * hides nothing either. Most statements of dashboards are so; the engine's parser is not asked for their tree.
 */
export function isPlainQuery(tokens: readonly Token[]): boolean {
  return tokens.every((token, i) => {
    const call = tokens[i + 1]?.text === '(';
    switch (token.type) {
      case 'word':
        // DESC is DESCRIBE behind a bracket, and an order elsewhere.
        if (token.value === 'desc' && tokens[i - 1]?.text === '(') return false;
        return call ? isHarmlessCall(token.value) : !TREE_WORDS.has(token.value);
      case 'quoted':
        return !call && !FILE_CHARACTER.test(token.value);
      case 'string':
        return !mayBeFile(token, tokens[i - 1]);
      default:
        return true;
    }
  });
}

/** In a FROM list a string is a file; behind a comma it may be in one. */
function mayBeFile(token: Token, before: Token | undefined): boolean {
  if (before?.value === 'from' || before?.value === 'join') return true;
  return before?.text === ',' && FILE_CHARACTER.test(token.value);
}

/** A name can be a function and a table function at once: both must be harmless, for the tokens do not tell which it is. */
export function isHarmlessCall(name: string): boolean {
  const classes = [classOfFunction(name, 'scalar'), classOfFunction(name, 'table')];
  if (classes.every((found) => found === undefined)) return NOT_CALLS.has(name) && !TREE_WORDS.has(name);
  return classes.every((found) => found === undefined || found === 'pure' || found === 'volatile');
}
