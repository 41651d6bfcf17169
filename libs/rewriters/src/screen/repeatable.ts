import { isHarmlessCall } from './plain-query';
import type { ParameterValue } from './parameters';
import { screen } from './screen';

/**
 * Whether a statement whose outcome nobody has heard of may run again: a query that calls nothing with an effect. What
 * cannot be told is not repeatable.
 */
export function isRepeatable(sql: string, parameters: readonly ParameterValue[] = []): boolean {
  try {
    const { kind, tokens } = screen(sql, parameters);
    const calls = tokens.filter(({ type }, i) => (type === 'word' || type === 'quoted') && tokens[i + 1]?.text === '(');
    return kind === 'SELECT' && calls.every(({ value }) => isHarmlessCall(value));
  } catch {
    return false;
  }
}
