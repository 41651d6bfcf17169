import type { PolicyOutcome } from '@gadwall/engine';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const OF_STATEMENT = ['tenant', 'pool'] as const;
/** s. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];

/** What a node counts, in the names of seed 000 ("Observability"). `pool` is the id of the pool. */
export class PolicyMetrics {
  private readonly registry = new Registry();
  private readonly columns = this.counter(
    'column_policy_rewrites_total',
    'Statements by what column policies made of them',
  );
  private readonly rows = this.counter('row_policy_rewrites_total', 'Statements by what row policies made of them');
  private readonly columnTime = this.histogram('column_policy_rewrite_duration_seconds', 'masks');
  private readonly rowTime = this.histogram('row_policy_rewrite_duration_seconds', 'row filters');

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Superusers are under no policy, and are not counted. */
  readonly observe = ({ tenant, poolId: pool, columns, rows, seconds }: PolicyOutcome): void => {
    if (tenant === null) return;
    this.columns.inc({ tenant, pool, outcome: columns });
    this.rows.inc({ tenant, pool, outcome: rows });
    if (seconds === null) return;
    if (columns === 'rewritten') this.columnTime.observe({ tenant, pool }, seconds);
    if (rows === 'rewritten') this.rowTime.observe({ tenant, pool }, seconds);
  };

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, labelNames: [...OF_STATEMENT, 'outcome'], registers: [this.registry] });
  }

  private histogram(name: string, what: string): Histogram {
    const help = `Rewriting and proof of statements with ${what}, whose text was not known yet`;
    return new Histogram({ name, help, labelNames: [...OF_STATEMENT], buckets: BUCKETS, registers: [this.registry] });
  }
}
