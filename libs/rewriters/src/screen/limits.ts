import { Token } from '../lexer';
import { ScreenRefusal } from './refusal';

/** Bytes of a statement. */
export const MAX_STATEMENT_BYTES = 1_048_576;
/** Open brackets at once. */
const MAX_NESTING = 64;
/**
 * Operators on one path from the root of an expression to a leaf. The engine folds constants while it binds, cannot be
 * interrupted there, and needs time that grows with the cube of this: 3 KB of `1+1+…` took 2.4 s.
 */
const MAX_OPERATOR_DEPTH = 300;
/** Set operations and joins in one statement: each is a level of the engine's recursion. */
const MAX_RELATIONS = 500;

const DEPTH_WORDS = new Set('not like ilike between is in collate case when similar glob'.split(' '));
const CLAUSE_WORDS = new Set(
  `and or select from where group order having limit offset union except intersect set values returning on using join
  qualify window then else end as by`.split(/\s+/),
);
const RELATION_WORDS = new Set(['join', 'union', 'except', 'intersect']);

/** Refuses a text whose binding alone could hold a thread of the engine for long (DESIGN invariant 16). */
export function checkDepth(tokens: readonly Token[]): void {
  const operators: number[] = [0];
  let depth = 0;
  let relations = 0;
  const count = (n: number) => {
    operators[operators.length - 1] = (operators[operators.length - 1] as number) + n;
    depth += n;
  };
  const settle = () => count(-(operators[operators.length - 1] as number));
  for (const token of tokens) {
    if (token.type === 'punctuation') {
      if ('([{'.includes(token.text)) operators.push(0);
      else if (')]}'.includes(token.text)) {
        settle();
        if (operators.length > 1) operators.pop();
      } else if (token.text === ',' || token.text === ';') settle();
      else count(1);
    } else if (token.type === 'operator' || (token.type === 'word' && DEPTH_WORDS.has(token.value))) count(1);
    else if (token.type === 'word' && CLAUSE_WORDS.has(token.value)) {
      settle();
      if (RELATION_WORDS.has(token.value)) relations++;
    }
    if (operators.length > MAX_NESTING)
      throw new ScreenRefusal('statement_too_large', `nested over ${MAX_NESTING} deep`);
    if (depth > MAX_OPERATOR_DEPTH) {
      throw new ScreenRefusal('statement_too_large', `an expression is over ${MAX_OPERATOR_DEPTH} operators deep`);
    }
    if (relations > MAX_RELATIONS) {
      throw new ScreenRefusal('statement_too_large', `over ${MAX_RELATIONS} joins and set operations`);
    }
  }
}
