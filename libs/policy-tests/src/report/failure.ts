import type { JsonValue } from '@gadwall/engine';
import { type PolicyCase, titleOf } from '../cases';
import type { Failure } from '../run';
import type { Cell } from '../source';

/** Rows of each side that are shown. */
const MAX_ROWS = 20;
/** Characters of a row, and of a statement, that are shown. */
const MAX_WIDTH = 60;
const MAX_STATEMENT = 400;

/** One line with what was expected and seen; under it the statement, rows side by side, the objects, and the rule. */
export function describeFailure(one: PolicyCase, failure: Failure): string {
  const { line, expected, seen } = failure;
  return [`FAIL ${titleOf(one)} (${one.file}:${line}): expected ${expected}; seen ${seen}`, ...detailsOf(failure)]
    .map((text) => `${text}\n`)
    .join('');
}

function detailsOf({ as, sql, rows, outcome }: Failure): string[] {
  return [
    ...(sql === null ? [] : [`  ${as ?? 'a superuser'}: ${cut(sql.trim().replace(/\s*\n\s*/g, ' '), MAX_STATEMENT)}`]),
    ...(rows ? sideBySide(rows.expected.map(inJson), rows.seen.map(inJson)) : []),
    ...decisionOf(outcome),
  ];
}

function decisionOf(outcome: Failure['outcome']): string[] {
  if (outcome?.kind === 'answer') return [`  described: ${objectsOf(outcome.objects)}`, '  allowed'];
  if (outcome?.kind !== 'denied') return [];
  const by = outcome.rule === null ? outcome.code : `rule ${outcome.rule}`;
  return [...(outcome.objects.length > 0 ? [`  described: ${objectsOf(outcome.objects)}`] : []), `  denied by ${by}`];
}

function objectsOf(
  objects: readonly { catalog: string; schema: string; name: string; access: string; columns?: string[] }[],
): string {
  const list = objects.map(({ catalog, schema, name, access, columns = [] }) => {
    return `${catalog}.${schema}.${name}:${access}${columns.length > 0 ? `(${columns.join(', ')})` : ''}`;
  });
  return list.join(', ') || 'no object';
}

function inJson(row: readonly (Cell | JsonValue)[]): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
}

/** Equal rows on one line, marked where they differ. */
function sideBySide(expected: readonly string[], seen: readonly string[]): string[] {
  const [left, right] = aligned(expected, seen);
  const width = Math.min(MAX_WIDTH, Math.max('expected'.length, ...left.map((text) => text.length)));
  const lines = left.slice(0, MAX_ROWS).map((text, i) => {
    const other = right[i] ?? '';
    return `  ${text === other ? ' ' : '!'} ${cut(text, width).padEnd(width)} | ${cut(other, MAX_WIDTH)}`.trimEnd();
  });
  const more = left.length > MAX_ROWS ? [`    … ${left.length - MAX_ROWS} more`] : [];
  return [`    ${'expected'.padEnd(width)} | seen`, ...lines, ...more];
}

/** Rows that are on both sides, as far as they are, first; then those of either side alone. */
function aligned(expected: readonly string[], seen: readonly string[]): [string[], string[]] {
  const left = [...seen];
  const missing: string[] = [];
  const both: string[] = [];
  for (const row of expected) {
    const found = left.indexOf(row);
    if (found < 0) missing.push(row);
    else {
      both.push(row);
      left.splice(found, 1);
    }
  }
  const rest = Array.from({ length: Math.max(missing.length, left.length) }, (_, i) => i);
  return [
    [...rest.map((i) => missing[i] ?? ''), ...both],
    [...rest.map((i) => left[i] ?? ''), ...both],
  ];
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
