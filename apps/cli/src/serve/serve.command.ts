import { constants } from 'node:os';
import { startManager } from './manager-process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the manager in the foreground: its output is ours, our signals are its own, and so is how it ends. */
export async function serveCommand(): Promise<void> {
  const manager = await startManager({ env: process.env, output: 'inherit' });
  const passed = new Set<number>();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      passed.add(128 + constants.signals[signal]);
      manager.signal(signal);
    });
  }
  const code = await manager.ended;
  // Stopped because it was told to: nothing went wrong.
  process.exitCode = passed.has(code) ? 0 : code;
}
