import { type PolicyCase, titleOf } from '../cases';
import { inJson, type RowPair } from '../expectation';
import type { Failure } from '../run';

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
    ...(rows ? sideBySide(rows) : []),
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

/** Expected rows on the left, seen ones on the right; `!` before those that are not the same. */
function sideBySide(pairs: readonly RowPair[]): string[] {
  const shown = pairs.slice(0, MAX_ROWS);
  const left = shown.map(({ expected }) => (expected ? cut(inJson(expected), MAX_WIDTH) : ''));
  const width = Math.max('expected'.length, ...left.map((text) => text.length));
  const lines = shown.map(({ seen, equal }, i) => {
    const right = seen ? cut(inJson(seen), MAX_WIDTH) : '';
    return `  ${equal ? ' ' : '!'} ${(left[i] ?? '').padEnd(width)} | ${right}`.trimEnd();
  });
  const more = pairs.length > MAX_ROWS ? [`    … ${pairs.length - MAX_ROWS} more`] : [];
  return [`    ${'expected'.padEnd(width)} | seen`, ...lines, ...more];
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
