import { GENESIS_HASH } from './event';
import { EVENT_COLUMNS, hashOfRow, type EventRow } from './event-row';
import { canonicalData } from './hash';
import { inTransaction, type Queryable } from './queryable';
import { readHeads, type Head } from './streams';
import type { Pool } from 'pg';

/** What is wrong with the first bad event of a stream. */
export interface ChainProblem {
  stream: string;
  /** Of the bad event; of the one that ought to be there where it is missing. */
  version: number;
  /**
   * - `edited`: its content does not have its hash
   * - `replaced`: it is whole in itself, but not the event that the next one, or the head, was chained to
   * - `missing`: there are events after it, or a head or known hash that stands for it
   * - `order`: it does not follow the event before it
   * - `unexpected`: it comes after the head
   */
  problem: 'edited' | 'replaced' | 'missing' | 'order' | 'unexpected';
}

/** Outcome of `verify`. */
export interface Verification {
  /** The first bad event of each stream that has one, by stream. */
  problems: ChainProblem[];
  events: number;
  /** Of the streams as they were found: what to keep elsewhere and give as `known` later. */
  heads: Record<string, Head>;
}

export interface VerifyOptions {
  /** Heads seen earlier and kept outside of the database: they show even a tail that was cut together with its head. */
  known?: Record<string, Head>;
  /** Events read at a time. */
  batch?: number;
}

/** Proves every stream's hash chain against its head, on one snapshot. A problem is a result, not an error. */
export async function verify(pool: Pool, options: VerifyOptions = {}): Promise<Verification> {
  return inTransaction(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY', async (db) => {
    const heads = await readHeads(db);
    const streams = await db.query<{ tenant: string }>(
      'SELECT tenant FROM event UNION SELECT tenant FROM stream UNION SELECT unnest($1::text[]) ORDER BY 1',
      [Object.keys(options.known ?? {})],
    );
    const result: Verification = { problems: [], events: 0, heads: Object.fromEntries(heads) };
    for (const { tenant } of streams.rows) {
      const chain = new Chain(tenant, heads.get(tenant), options.known?.[tenant]);
      for await (const row of eventsOf(db, tenant, options.batch ?? 1000)) {
        result.events++;
        if (!chain.add(row)) break;
      }
      const problem = chain.end();
      if (problem) result.problems.push(problem);
    }
    return result;
  });
}

async function* eventsOf(db: Queryable, stream: string, batch: number): AsyncGenerator<EventRow> {
  for (let after = '0'; ;) {
    const { rows } = await db.query<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE tenant = $1 AND version > $2 ORDER BY version LIMIT $3`,
      [stream, after, batch],
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < batch) return;
    after = last.version;
  }
}

/** Walks one stream's events by version. */
class Chain {
  private last: EventRow | undefined;
  private problem: ChainProblem['problem'] | undefined;
  private version = 0;

  constructor(
    private readonly stream: string,
    private readonly head: Head | undefined,
    private readonly known: Head | undefined,
  ) {}

  /** @returns false once a bad event is found */
  add(row: EventRow): boolean {
    const version = (this.last ? Number(this.last.version) : 0) + 1;
    const own = isWhole(row);
    if (Number(row.version) !== version) return this.found('missing', version);
    if (row.prev_hash !== (this.last?.hash ?? GENESIS_HASH)) {
      // A row that is whole names, by its own hash, the event that was before it: then that one is false.
      return own && this.last ? this.found('replaced', version - 1) : this.found('order', version);
    }
    if (!own) return this.found('edited', version);
    if (this.last && BigInt(row.position) <= BigInt(this.last.position)) return this.found('order', version);
    if (this.known?.version === version && this.known.hash !== row.hash) return this.found('replaced', version);
    if (version > (this.head?.version ?? 0)) return this.found('unexpected', version);
    this.last = row;
    return true;
  }

  end(): ChainProblem | undefined {
    if (this.problem === undefined) {
      const length = Number(this.last?.version ?? 0);
      const promised = Math.max(this.head?.version ?? 0, this.known?.version ?? 0);
      if (length < promised) this.found('missing', length + 1);
      else if (this.head && this.head.hash !== (this.last?.hash ?? GENESIS_HASH)) this.found('replaced', length);
    }
    return this.problem && { stream: this.stream, version: this.version, problem: this.problem };
  }

  private found(problem: ChainProblem['problem'], version: number): false {
    this.problem = problem;
    this.version = version;
    return false;
  }
}

function isWhole(row: EventRow): boolean {
  try {
    const canonical = canonicalData(JSON.parse(row.data) as Record<string, unknown>);
    return canonical === row.data && hashOfRow(row) === row.hash;
  } catch {
    return false; // its data is no JSON, or its time none
  }
}
