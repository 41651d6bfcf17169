import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** One measured figure; `ok` is null where no target is set. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  target?: number;
  ok?: boolean;
}

/** p50 and p99 of samples, in their unit. */
export function percentiles(samples: readonly number[]): { p50: number; p99: number } {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** A figure with an upper bound. */
export function atMost(name: string, value: number, target: number, unit: string): Figure {
  return { name, value, unit, target, ok: value <= target };
}

/** Prints rows as an aligned table. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  for (const row of all) {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)));
    process.stdout.write(`${cells.join('  ')}\n`);
  }
}

/** What the figures were measured on. */
function machine(): { cpu: string; cores: number; memoryGb: number; node: string } {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

/** Prints the figures with their targets, and writes them to a file when one is named. */
export function report(bench: string, versions: Record<string, string>, figures: Figure[], file?: string): void {
  process.stdout.write('\n');
  printTable(
    ['figure', 'value', 'unit', 'target', ''],
    figures.map(({ name, value, unit, target, ok }) => [
      name,
      value.toFixed(3),
      unit,
      target === undefined ? '' : `<= ${target.toFixed(3)}`,
      ok === undefined ? '' : ok ? 'ok' : 'MISSED',
    ]),
  );
  const { cpu, cores, memoryGb, node } = machine();
  process.stdout.write(`\n${cores} cores of ${cpu}, ${memoryGb} GB, Node ${node}, ${JSON.stringify(versions)}\n`);
  if (file) writeFileSync(file, `${JSON.stringify({ bench, machine: machine(), versions, figures }, null, 2)}\n`);
}
