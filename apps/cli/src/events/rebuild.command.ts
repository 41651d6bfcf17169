import {
  EventCatalogue,
  POLICY_PROJECTIONS,
  ReplayError,
  rebuild,
  verify,
  type Difference,
  type Rebuild,
} from '@gadwall/events';
import { POLICY_EVENTS } from '@gadwall/rbac';
import { EXIT } from '../outcome';
import { describeProblems } from './verify.command';
import { withDatabase } from './with-database';
import type { Pool } from 'pg';

export async function rebuildCommand(options: { apply?: boolean; json?: boolean }): Promise<void> {
  await withDatabase(async (pool) => {
    // What a broken log gives proves nothing, and must not be put in the place of anything.
    const { problems } = await verify(pool);
    if (problems.length > 0) {
      process.stdout.write(options.json ? `${JSON.stringify({ problems })}\n` : describeProblems(problems));
      process.exitCode = EXIT.faulty;
      return;
    }
    const outcome = await replay(pool, options.apply);
    if (!outcome) return;
    process.stdout.write(options.json ? `${JSON.stringify(outcome)}\n` : describeOutcome(outcome));
    process.exitCode = outcome.differences.length === 0 || outcome.applied ? EXIT.clean : EXIT.faulty;
  });
}

async function replay(pool: Pool, apply?: boolean): Promise<Rebuild | null> {
  const progress = progressLine();
  try {
    const catalogue = new EventCatalogue(POLICY_EVENTS);
    return await rebuild(pool, POLICY_PROJECTIONS, { catalogue, apply, onProgress: progress.show });
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    process.stdout.write(`cannot be replayed: ${error.message}\n`);
    process.exitCode = EXIT.faulty;
    return null;
  } finally {
    progress.clear();
  }
}

function describeOutcome({ events, tables, differences, applied }: Rebuild): string {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const head = `${events} events give ${rows} rows in ${Object.keys(tables).length} tables`;
  if (differences.length === 0) return `${head}: the live tables are the same\n`;
  const end = applied ? 'the live tables were replaced by what the log gives\n' : '';
  return `${head}; they differ from the live ones:\n${differences.map(describeDifference).join('')}${end}`;
}

function describeDifference({ table, key, kind, columns }: Difference): string {
  const row = Object.entries(key)
    .map(([column, value]) => `${column}=${String(value)}`)
    .join(' ');
  const what = {
    missing: 'is not in the live table',
    extra: 'is in the live table only',
    changed: `differs in ${columns.join(', ')}`,
  };
  return `  ${table} ${row}: ${what[kind]}\n`;
}

/** One line at a terminal that is kept up to date, from the first second on; nothing elsewhere. */
function progressLine(): { show: (done: number, total: number) => void; clear: () => void } {
  const start = Date.now();
  let shown = 0;
  const write = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${text}`);
  return {
    show(done, total) {
      if (Date.now() - Math.max(start, shown) < 1000) return;
      shown = Date.now();
      write(`replayed ${done} of ${total} events`);
    },
    clear: () => void (shown > 0 && write('')),
  };
}
