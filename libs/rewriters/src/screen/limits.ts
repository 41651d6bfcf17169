import { Token } from '../lexer';
import { ScreenRefusal } from './refusal';

/** Bytes of a statement. */
export const MAX_STATEMENT_BYTES = 1_048_576;
/** Tokens: the plan of more could not be read anyhow, and the node's thread would be held for over 100 ms. */
export const MAX_TOKENS = 100_000;
/** Characters of a statement whose parameters have been written into it: one may stand there many times. */
const MAX_WRITTEN = 8 * 1_048_576;
/** Open brackets at once. */
const MAX_NESTING = 64;
/** Operators on one path from the root of an expression to a leaf: each is a level of the engine's recursion. */
const MAX_OPERATOR_DEPTH = 500;
/**
 * Of these, operators without a name between them. The engine folds constants while it binds, cannot be interrupted
 * there, and needs time that grows with the cube of this: 150 take 50 ms, 3 KB of `1+1+…` took 2.4 s.
 */
const MAX_LITERAL_DEPTH = 150;
/** Set operations and joins in one statement, also those by a comma: each is a level of the engine's recursion. */
const MAX_RELATIONS = 500;

const DEPTH_WORDS = new Set('not like ilike between is in collate case when similar glob'.split(' '));
const CLAUSE_WORDS = new Set(
  `and or select from where group order having limit offset union except intersect set values returning on using join
  qualify window then else end as by`.split(/\s+/),
);
const LITERAL_WORDS = new Set('true false null date time timestamp interval cast try_cast'.split(' '));
const RELATION_WORDS = new Set(['join', 'union', 'except', 'intersect']);
/** Words between FROM and the end of its list. */
const IN_FROM = new Set('from join using on and or as when then else end by'.split(' '));

/** Refuses what parameters have made too large. */
export function checkWritten(tokens: readonly Token[]): void {
  const length = tokens.reduce((sum, { text }) => sum + text.length, 0);
  if (tokens.length > MAX_TOKENS || length > MAX_WRITTEN) {
    throw new ScreenRefusal('statement_too_large', 'the statement is too large with its parameters written into it');
  }
}

/** Refuses a text whose binding alone could hold a thread of the engine for long (DESIGN invariant 16). */
export function checkDepth(tokens: readonly Token[]): void {
  const depth = new Depth();
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'punctuation') {
      // `a[1][2]`: each subscript is a level of its own, a list is none.
      if (token.text === '[' && endsValue(tokens[i - 1])) depth.operator();
      depth.punctuation(token.text);
    } else if (token.type === 'operator') depth.operator();
    else if (token.type === 'quoted') depth.name();
    else if (token.type === 'word') {
      if (DEPTH_WORDS.has(token.value)) depth.operator();
      else if (CLAUSE_WORDS.has(token.value)) depth.clause(token.value);
      else if (!LITERAL_WORDS.has(token.value)) depth.name();
    }
  }
}

function endsValue(token: Token | undefined): boolean {
  if (token === undefined || token.type === 'operator') return false;
  if (token.type === 'word') return !CLAUSE_WORDS.has(token.value) && !DEPTH_WORDS.has(token.value);
  return token.type !== 'punctuation' || token.text === ')' || token.text === ']' || token.text === '}';
}

/** How deep a tree the tokens so far make: operators since the last separator, over all open brackets. */
class Depth {
  private readonly operators: number[] = [0];
  private total = 0;
  /** Operators since the last name, over all open brackets: none of these is known not to be folded. */
  private literal = 0;
  private relations = 0;
  /** For each open bracket whether a FROM list is under way in it. */
  private readonly from: boolean[] = [false];

  operator(): void {
    this.operators[this.operators.length - 1] = (this.operators[this.operators.length - 1] as number) + 1;
    this.literal++;
    if (++this.total > MAX_OPERATOR_DEPTH || this.literal > MAX_LITERAL_DEPTH) {
      const limit = this.total > MAX_OPERATOR_DEPTH ? MAX_OPERATOR_DEPTH : MAX_LITERAL_DEPTH;
      throw new ScreenRefusal('statement_too_large', `an expression is over ${limit} operators deep`);
    }
  }

  name(): void {
    this.literal = 0;
  }

  clause(word: string): void {
    this.settle();
    const last = this.from.length - 1;
    this.from[last] = word === 'from' || (this.from[last] === true && IN_FROM.has(word));
    if (RELATION_WORDS.has(word)) this.relation();
  }

  private relation(): void {
    if (++this.relations > MAX_RELATIONS) {
      throw new ScreenRefusal('statement_too_large', `over ${MAX_RELATIONS} joins and set operations`);
    }
  }

  punctuation(text: string): void {
    switch (text) {
      case '(':
      case '[':
      case '{':
        this.operators.push(0);
        this.from.push(false);
        if (this.operators.length > MAX_NESTING) {
          throw new ScreenRefusal('statement_too_large', `nested over ${MAX_NESTING} deep`);
        }
        return;
      case ')':
      case ']':
      case '}':
        this.settle();
        if (this.operators.length > 1) {
          this.operators.pop();
          this.from.pop();
        }
        return;
      case ',':
        if (this.from[this.from.length - 1]) this.relation();
        return this.settle();
      case ';':
        return this.settle();
      default:
        return this.operator();
    }
  }

  private settle(): void {
    this.literal = Math.min(this.literal, this.total - (this.operators[this.operators.length - 1] as number));
    this.total -= this.operators[this.operators.length - 1] as number;
    this.operators[this.operators.length - 1] = 0;
  }
}
