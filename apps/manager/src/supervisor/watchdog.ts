import { createInterface } from 'node:readline';
import { endProcess, type ProcessRef } from '@gadwall/database';
import type { WatchdogMessage, WatchedKind } from './watchdog.protocol';

/*
 * A process of its own that outlives the manager by seconds: told over a pipe what to watch, it ends all of it when the pipe
 * closes, which the kernel does however the manager ended. All within 5 s.
 */

const SIGNALS = {
  // Nodes hold nothing that must be kept.
  node: [['SIGTERM', 1000]],
  // Fast shutdown; else at once, to be recovered at the next start.
  postgres: [
    ['SIGINT', 1500],
    ['SIGQUIT', 1000],
  ],
} as const;

const watched = new Map<string, { kind: WatchedKind; ref: ProcessRef }>();

function take(line: string): void {
  const message = JSON.parse(line) as WatchdogMessage;
  const key = `${message.ref.pid}@${message.ref.started}`;
  if (message.do === 'watch') watched.set(key, message);
  else watched.delete(key);
}

async function endAll(kind: WatchedKind): Promise<void> {
  const those = [...watched.values()].filter((entry) => entry.kind === kind);
  await Promise.allSettled(those.map((entry) => endProcess(entry.ref, SIGNALS[kind])));
}

// Whoever signals the manager's processes as a group means the manager: the pipe tells when that has ended.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

createInterface({ input: process.stdin })
  .on('line', take)
  .on('close', () => void endAll('node').then(() => endAll('postgres')));
