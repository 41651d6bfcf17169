import type { Api, SqlAnswer } from './api';
import type { MadeTenant } from './tenants';
import type { Terminal } from './terminal';
import type { Example, Scene } from './worked-examples';

/** The API as each of the demo's users. */
export type Callers = Readonly<Record<string, Api>>;

/** Counts decisions, and those that are not what they should be. */
export class Walk {
  private decisions = 0;
  private unexpected = 0;

  constructor(
    private readonly terminal: Terminal,
    private readonly callers: Callers,
  ) {}

  get count(): { decisions: number; unexpected: number } {
    return { decisions: this.decisions, unexpected: this.unexpected };
  }

  /** The API as one of the demo's users. */
  caller(user: string): Api {
    return caller(this.callers, user);
  }

  async scene({ title, setup, examples }: Scene): Promise<void> {
    this.terminal.heading(title);
    this.terminal.remark(setup);
    for (const example of examples) await this.example(example);
  }

  /** Sends the statement as its user, and shows what came of it. */
  async example({ user, tenant, pool, sql, expected, why = '' }: Example): Promise<void> {
    const answer = await caller(this.callers, user).sql(tenant, pool, sql);
    const outcome = outcomeOf(answer);
    const ok = outcome.code === expected;
    this.decisions++;
    if (!ok) this.unexpected++;
    this.terminal.decision({
      ok,
      who: `${user}@${pool}`,
      sql,
      ...outcome,
      ms: answer.ms,
      reason: outcome.code === 'allowed' ? why : `${outcome.code}: ${answer.body.message ?? ''}`,
    });
    if (!ok) this.terminal.remark(`expected: ${expected}`);
  }

  /** A role taken away is gone at the very next statement, and is back when it is given back. */
  async revoke(root: Api, { users, roles }: MadeTenant): Promise<number> {
    const edge = { userId: users.alice, roleId: roles.analyst };
    const alice = { user: 'alice', tenant: 'acme', pool: 'bi', sql: 'SELECT count(*) FROM customer' };
    this.terminal.heading('A revoke is in force when the call that made it returns');
    await this.example({ ...alice, expected: 'allowed', why: 'role analyst' });
    const revoked = await this.change(root, '/api/membership/user-role/remove', edge);
    await this.example({ ...alice, expected: 'access_denied' });
    const gap = performance.now() - revoked;
    this.terminal.remark(`refused ${gap.toFixed(1)} ms after the answer to the revoke`);
    await this.change(root, '/api/membership/user-role/add', edge);
    await this.example({ ...alice, expected: 'allowed', why: 'role analyst again, without a new login' });
    return gap;
  }

  /** Makes a change of policy; gives the time of its answer. */
  private async change(root: Api, path: string, edge: unknown): Promise<number> {
    const start = performance.now();
    await root.post(path, edge);
    const answered = performance.now();
    const what = path.endsWith('remove') ? 'takes role analyst from alice' : 'gives role analyst back to alice';
    this.terminal.line(`   the administrator ${what}: POST ${path}, ${(answered - start).toFixed(1)} ms`);
    return answered;
  }
}

function caller(callers: Callers, user: string): Api {
  const api = callers[user];
  if (!api) throw new Error(`nobody has logged in as ${user}`);
  return api;
}

interface Outcome {
  code: string;
  decision: string;
  result: string;
}

function outcomeOf({ status, body }: SqlAnswer): Outcome {
  if (status === 200) return { code: 'allowed', decision: 'allowed', result: amount(body) };
  const code = body.error ?? `status ${status}`;
  if (status !== 403) return { code, decision: 'error', result: String(status) };
  return { code, decision: 'denied', result: code === 'access_denied' ? 'gate 2, 403' : 'gate 1, 403' };
}

function amount({ affected, rowCount }: SqlAnswer['body']): string {
  if (typeof affected === 'number') return `${affected.toLocaleString('en-US')} changed`;
  if (!rowCount) return 'done';
  return rowCount === 1 ? '1 row' : `${rowCount.toLocaleString('en-US')} rows`;
}
