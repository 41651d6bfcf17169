import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine, EngineConfig, NodeSession, StatementPipeline, type StatementRequest } from '@gadwall/engine';
import { AccessDenied, DomainError, EffectiveSet, RefusedObject, setDigest, superuserSet, Verb } from '@gadwall/rbac';
import { ParameterValue } from '@gadwall/rewriters';

/** What a statement came to. */
export interface Outcome {
  /** `ok`, or the code of the refusal. */
  code: string;
  message: string;
  rule?: string;
  /** What a refusal names. */
  objects?: readonly RefusedObject[];
  rows: unknown[][];
  columns: string[];
  types: string[];
  affected: number | null;
}

/** A node's pipeline on an engine of its own. */
export interface TestPipeline {
  engine: Engine;
  pipeline: StatementPipeline;
  run(set: EffectiveSet, sql: string, more?: RunOptions): Promise<Outcome>;
  session(set: EffectiveSet): Promise<NodeSession>;
  close(): Promise<void>;
}

export interface RunOptions {
  session?: NodeSession;
  parameters?: ParameterValue[];
  timeLimit?: number;
  signal?: AbortSignal;
  assertCurrent?: () => void;
  renew?: StatementRequest['renew'];
}

/** A tenant user with grants in the notation of seed 000: `RO lake.main.customer`. */
export function userWith(username: string, ...grants: string[]): EffectiveSet {
  const permissions = grants.map((grant) => {
    const [verb = '', ref = ''] = grant.split(' ');
    const [catalog = '*', schema = '*', table = '*'] = ref.split('.');
    return { effect: 'allow' as const, catalog, schema, table, verb: verb as Verb };
  });
  return { ...superuserSet(username), tenant: 'acme', permissions, catalogs: ['lake'] };
}

export const ROOT = superuserSet('root');

export async function startPipeline(initSql: string, config: Partial<EngineConfig> = {}): Promise<TestPipeline> {
  const folder = mkdtempSync(join(tmpdir(), 'gadwall-pipeline-'));
  const engine = await Engine.open({
    catalogs: [{ name: 'lake', path: ':memory:', readOnly: false }],
    defaultSchema: 'main',
    initSql,
    tempDirectory: folder,
    threads: 1,
    memoryLimit: '512MB',
    ...config,
  });
  const pipeline = new StatementPipeline(engine, {
    cacheEntries: 1000,
    maxPerUser: 8,
    stuck: { afterMs: 60_000, tell: () => undefined },
  });
  const sessions: NodeSession[] = [];
  return {
    engine,
    pipeline,
    run: (set, sql, more = {}) => outcomeOf(pipeline, set, sql, more),
    async session({ username }) {
      const owner = { userId: username, tenant: 'acme', poolId: 'pool' };
      const session = new NodeSession(`s${sessions.length}`, owner, await engine.connect(), Date.now());
      sessions.push(session);
      return session;
    },
    async close() {
      await pipeline.close();
      for (const session of sessions) session.end();
      engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Nobody lets the statement through again. */
const overtaken = () => Promise.reject(new DomainError('revoked_session'));

async function outcomeOf(
  pipeline: StatementPipeline,
  set: EffectiveSet,
  sql: string,
  {
    session,
    parameters = [],
    timeLimit = 20_000,
    signal,
    assertCurrent = () => undefined,
    renew = overtaken,
  }: RunOptions,
): Promise<Outcome> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  try {
    const running = await pipeline.start({
      userId: set.username,
      set,
      digest: setDigest(set),
      poolId: 'pool',
      sql,
      parameters,
      session: session ?? null,
      timeLimit,
      maxConcurrent: 32,
      assertCurrent,
      renew,
      signal,
      onReleased: release,
    });
    const rows: unknown[][] = [];
    try {
      for (let chunk = await running.next(); chunk !== null; chunk = await running.next())
        rows.push(...chunk.getRows());
    } finally {
      await running.close();
    }
    const columns = running.columns().map(({ name }) => name);
    const types = running.columns().map(({ type }) => type.toString());
    return { code: 'ok', message: '', rows: rows.map(plain), columns, types, affected: running.affected };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { rule, objects } = error instanceof AccessDenied ? error : {};
    return {
      code: error.code,
      message: error.message,
      rule,
      objects,
      rows: [],
      columns: [],
      types: [],
      affected: null,
    };
  } finally {
    // A session runs one statement at a time, as on a node.
    if (session) await released;
  }
}

function plain(row: unknown[]): unknown[] {
  return row.map((value) => (typeof value === 'bigint' ? Number(value) : value));
}
