import { Access, ObjectKind } from '../description';
import { Token } from '../lexer';

/** A name where an object of the catalog stands, in a statement for which no syntax tree can be had. */
export interface WrittenObject {
  /** The parts as written: 1 to 3, more are kept and fail to resolve. */
  parts: string[];
  kind: ObjectKind;
  /** What the statement does with it; `read` for what it reads. */
  access: Access;
  /** Written as a string: a file to the engine. */
  string: boolean;
  /**
   * It is judged whatever the plan holds: the form of the statement leaves no doubt that it is a name, or the engine does
   * not look at the place. Any other one was none if the engine could bind the statement and there is no such object.
   */
  certain: boolean;
  /** Where its first part stands among the tokens. */
  at: number;
}

export function isName(token: Token | undefined): token is Token {
  return token?.type === 'word' || token?.type === 'quoted' || token?.type === 'string';
}

/** The name of one or more parts that begins at `start`, which must be one. */
export function nameAt(tokens: readonly Token[], start: number): { parts: string[]; next: number } {
  const part = (token: Token): string => (token.type === 'word' ? token.text : token.value);
  const parts = [part(tokens[start] as Token)];
  let i = start + 1;
  while (tokens[i]?.text === '.' && isName(tokens[i + 1])) {
    parts.push(part(tokens[i + 1] as Token));
    i += 2;
  }
  return { parts, next: i };
}

/** For each opening bracket where it closes; the number of tokens for one that does not. */
export type BracketEnds = Readonly<Int32Array>;

export function bracketEnds(tokens: readonly Token[]): BracketEnds {
  const ends = new Int32Array(tokens.length);
  const open: number[] = [];
  tokens.forEach((token, i) => {
    if (isOpening(token)) {
      open.push(i);
      ends[i] = tokens.length;
    } else if (token.type === 'punctuation' && (token.text === ')' || token.text === ']' || token.text === '}')) {
      const start = open.pop();
      if (start !== undefined) ends[start] = i;
    }
  });
  return ends;
}

export function isOpening(token: Token): boolean {
  return token.type === 'punctuation' && (token.text === '(' || token.text === '[' || token.text === '{');
}
