/** Where something stands in a text, both counted from 1; columns in UTF-16 units. */
export interface Place {
  line: number;
  column: number;
}

/**
 * A text that is no statement of the dialect. The message names the place and what could stand there, and repeats nothing
 * of the text but one character that SQL does not have: the text may hold a password.
 */
export class AdminSyntaxError extends Error implements Place {
  readonly line: number;
  readonly column: number;

  constructor(
    what: string,
    { line, column }: Place,
    /** What could stand at the place, as a reader would write it: `ROLE`, `a name`. */
    readonly expected: readonly string[] = [],
  ) {
    super(`line ${line}, column ${column}: ${what}`);
    this.name = 'AdminSyntaxError';
    this.line = line;
    this.column = column;
  }
}

/** The place of an offset in a text. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
