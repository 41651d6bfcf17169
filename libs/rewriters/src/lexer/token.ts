/** One token of a statement. `text` is what the engine is given; `value` is what the token means. */
export interface Token {
  type: 'word' | 'quoted' | 'string' | 'number' | 'operator' | 'punctuation' | 'parameter' | 'placeholder';
  /** Canonical source: strings re-written as '…', identifiers as typed. */
  text: string;
  /** Folded name of a word, raw name of a quoted identifier, decoded string, otherwise the text. */
  value: string;
  /** A line break stood before it: two strings on two lines are one string to the engine. */
  lineBreakBefore: boolean;
  /** Where it stands in the source: offsets of its first character and of what follows it, in UTF-16 units. */
  start: number;
  end: number;
}

/** A text of more tokens than were asked for. */
export class TooManyTokens extends Error {}

/** A text that the lexer does not accept; the statement is refused before any parser of the engine sees it. */
export class LexicalError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}
