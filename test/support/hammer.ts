import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from './manager';

/** One statement that was sent again and again. Times of `performance.now()`. */
interface Sent {
  sentAt: number;
  endedAt: number;
  status: number;
}

/** Statements of one user, all the time, from open sessions and without one. */
export class Hammer {
  readonly sent: Sent[] = [];
  private stopped = false;
  private readonly loops: Promise<void>[];

  private constructor(
    private readonly client: ApiClient,
    private readonly statement: { pool: string; sql: string },
    sessions: (string | null)[],
  ) {
    this.loops = sessions.map((session) => this.loop(session));
  }

  static async start(client: ApiClient, pool: string, sql: string): Promise<Hammer> {
    const opened = await client.post('/api/session', { pool });
    if (opened.status !== 201) throw new Error(`no session: ${opened.status} ${opened.text}`);
    const { session } = opened.body as { session: string };
    return new Hammer(client, { pool, sql }, [session, null, null]);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.loops);
  }

  /** Statements that were sent and answered between two moments, and got rows. */
  allowed(from: number, to: number): Sent[] {
    return this.sent.filter(({ sentAt, endedAt, status }) => status === 200 && sentAt > from && endedAt < to);
  }

  /** Resolves with the moment at which a statement that was sent after another had been answered so. */
  async until(from: number, status: number, limitMs: number): Promise<number> {
    for (const end = performance.now() + limitMs; performance.now() < end; await delay(2)) {
      const found = this.sent.findLast((one) => one.sentAt > from && one.status === status);
      if (found) return found.endedAt;
    }
    const seen = [...new Set(this.sent.filter(({ sentAt }) => sentAt > from).map((one) => one.status))];
    throw new Error(`no answer ${status} in ${limitMs} ms, but ${seen.join(', ') || 'none'}`);
  }

  private async loop(session: string | null): Promise<void> {
    while (!this.stopped) {
      const sentAt = performance.now();
      const status = await this.client.post('/api/sql', { ...this.statement, session }).then(
        (answer) => answer.status,
        () => 0,
      );
      this.sent.push({ sentAt, endedAt: performance.now(), status });
      // A refusal is quick: the machine is shared.
      if (status !== 200) await delay(2);
    }
  }
}
