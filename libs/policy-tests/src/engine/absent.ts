import { fold, lex, LexicalError, type Token } from '@gadwall/rewriters';

/** An object of a fixture that is not there. */
export interface Absent {
  /** The last part of its name, folded. */
  object: string;
  fault: string;
}

/** The last part of the name of what a CREATE statement makes, folded; null for any other statement. */
export function createdBy(sql: string): string | null {
  const tokens = tokensOf(sql);
  if (tokens[0]?.value !== 'create') return null;
  const end = tokens.findIndex(({ text, type, value }) => text === '(' || (type === 'word' && value === 'as'));
  const name = tokens.slice(0, end < 0 ? undefined : end).at(-1);
  return name === undefined ? null : fold(name.value);
}

/** Whether a statement has the name anywhere, in a text within it too. */
export function isNamedIn(object: string, sql: string): boolean {
  return tokensOf(sql).some(({ type, value }) =>
    type === 'string' ? fold(value).includes(object) : fold(value) === object,
  );
}

function tokensOf(sql: string): Token[] {
  try {
    return lex(sql);
  } catch (error) {
    if (error instanceof LexicalError) return [];
    throw error;
  }
}
