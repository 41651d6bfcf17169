import type { ProcessRef } from '@gadwall/database';

/** How a process is to be ended when the manager is gone: see `watchdog.ts`. */
export type WatchedKind = 'node' | 'postgres';

/** What the manager tells the watchdog: one JSON text a line on its standard input. */
export type WatchdogMessage = { do: 'watch'; kind: WatchedKind; ref: ProcessRef } | { do: 'forget'; ref: ProcessRef };
