import { titleOf } from '../cases';
import { type CaseResult, verdictOf } from '../run';
import { describeFailure } from './failure';

/** A line for each case that failed, with what tells why under it, and the counts. */
export function textReport(results: readonly CaseResult[]): string {
  const failed = results.filter((result) => verdictOf(result) === 'failed');
  return `${failed.map(describeResult).join('')}${countsOf(results)}\n`;
}

function describeResult({ case: one, failure, waits }: CaseResult): string {
  if (failure) return describeFailure(one, failure);
  return `FAIL ${titleOf(one)} (${one.file}:${one.line}): it holds, and waits no longer (${waits}): take it off what waits\n`;
}

/** `N passed, N failed`, and how many wait if any do. */
export function countsOf(results: readonly CaseResult[]): string {
  const count = (verdict: ReturnType<typeof verdictOf>): number =>
    results.filter((result) => verdictOf(result) === verdict).length;
  const waiting = count('waiting');
  return `${count('passed')} passed, ${count('failed')} failed${waiting > 0 ? `, ${waiting} waiting` : ''}`;
}
