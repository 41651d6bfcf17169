import { fold } from './lex';
import { Token } from './token';

/** A run of tokens and the text that takes its place; of no length: what stands before its first token. */
export interface Replacement {
  length: number;
  text: string;
}

/** Token by the byte of the rendered text at which it begins. */
export function startsOf(tokens: readonly Token[]): Map<number, number> {
  const starts = new Map<number, number>();
  let at = 0;
  tokens.forEach(({ text }, i) => {
    starts.set(at, i);
    at += Buffer.byteLength(text) + 1;
  });
  return starts;
}

/** Whether the name of these parts is written at a token. */
export function standsAt(tokens: readonly Token[], first: number, parts: readonly string[]): boolean {
  return parts.every((part, i) => {
    const token = tokens[first + 2 * i];
    const name = token?.type === 'word' || token?.type === 'quoted';
    const dotted = i === 0 || tokens[first + 2 * i - 1]?.text === '.';
    return name && dotted && fold(token.value) === fold(part);
  });
}

/** The tokens with texts in the place of some, by the first token of each run. */
export function withTexts(tokens: readonly Token[], replaced: ReadonlyMap<number, Replacement>): Token[] {
  const written: Token[] = [];
  for (let i = 0; i <= tokens.length; i++) {
    const found = replaced.get(i);
    const token = tokens[i];
    if (found && found.text !== '') written.push(textToken(found.text));
    if (found && found.length > 0) i += found.length - 1;
    else if (token) written.push(token);
  }
  return written;
}

function textToken(text: string): Token {
  return { type: 'quoted', text, value: text, lineBreakBefore: false, start: 0, end: 0 };
}
