import type { JsonValue } from '@gadwall/engine';
import type { Outcome } from '../run/outcome';

/** The secrets that something of an answer contains: its rows, names and types of columns, or the text of its error. */
export function secretsIn(outcome: Outcome, secrets: readonly string[]): string[] {
  if (secrets.length === 0) return [];
  const texts = textsOf(outcome);
  const unwrapped = texts.filter((text) => text.includes('\n')).map(withoutFrames);
  return secrets.filter(
    (secret) =>
      texts.some((text) => text.includes(secret)) || unwrapped.some((text) => text.includes(withoutFrames(secret))),
  );
}

/** A plan is drawn in frames, which break a long text into lines. */
function withoutFrames(text: string): string {
  return text.replace(/[\s\u2500-\u257f]+/g, '');
}

function textsOf(outcome: Outcome): string[] {
  switch (outcome.kind) {
    case 'answer': {
      const head = outcome.columns.flatMap(({ name, type }) => [name, type]);
      const values = outcome.rows.flatMap((row) => row.flatMap(textsOfValue));
      return [...head, ...values, String(outcome.affected)];
    }
    case 'denied':
      return [
        outcome.message,
        outcome.hint ?? '',
        ...outcome.objects.flatMap(({ catalog, schema, name }) => [catalog, schema, name]),
      ];
    case 'error':
    case 'broken':
      return [outcome.message];
  }
}

function textsOfValue(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOfValue);
  if (value !== null && typeof value === 'object') {
    return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOfValue(inner)]);
  }
  return [String(value)];
}
