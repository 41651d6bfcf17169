import { AccessDenied } from '@gadwall/rbac';
import { Governed } from './governor';

/** What became of one statement at the policies of its principal. Source: seed 000, "Observability". */
export interface PolicyOutcome {
  /** null: a superuser's. */
  tenant: string | null;
  poolId: string;
  /** `parse_failed` and `unresolved_deny` are refusals too: nothing is passed on that could not be governed. */
  columns: 'rewritten' | 'denied' | 'unresolved_deny' | 'parse_failed' | 'passthrough';
  rows: 'rewritten' | 'parse_failed' | 'passthrough';
  /** What rewriting and proof took, s; null where the text was there already, or nothing was to do. */
  seconds: number | null;
}

type Outcomes = Pick<PolicyOutcome, 'columns' | 'rows'>;

/** Of a statement that was let through. */
export function outcomesOf(governed: Governed | null): Outcomes {
  return {
    columns: governed?.masks ? 'rewritten' : 'passthrough',
    rows: governed?.filters ? 'rewritten' : 'passthrough',
  };
}

/** Of one that was refused, by the rule of the refusal; null for one that no policy refused. */
export function outcomesOfRefusal(error: unknown, where: 'judged' | 'governed'): Outcomes | null {
  const rule = error instanceof AccessDenied ? error.rule : null;
  if (rule === 'column-policy')
    return { columns: where === 'judged' ? 'denied' : 'unresolved_deny', rows: 'passthrough' };
  if (rule === 'row-policy') return { columns: 'passthrough', rows: 'parse_failed' };
  return null;
}
