import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine, NodeConnection, StatementPipeline } from '@gadwall/engine';
import { EffectiveSet, setDigest, superuserSet } from '@gadwall/rbac';
import { screen } from '@gadwall/rewriters';
import { TPCH_SQL } from '../apps/cli/src/demo/tpch';
import { atMost, Figure, percentiles, printTable, report } from './figures';
import { STATEMENT_TEXTS } from './statement-texts';

const CATALOG = 'acme_tpch';

/** An analyst who may read every table of the schema, by one grant a table. */
function analyst(): EffectiveSet {
  const tables = ['region', 'nation', 'supplier', 'customer', 'part', 'partsupp', 'orders', 'lineitem'];
  return {
    ...superuserSet('alice'),
    tenant: 'acme',
    permissions: tables.map((table) => ({ effect: 'allow', catalog: CATALOG, schema: 'tpch1', table, verb: 'RO' })),
    catalogs: [CATALOG],
  };
}

/** Rounds before the first that counts: a node in service has compiled its code. */
const WARM_UP = 100;

interface Measured {
  [what: string]: number[];
}

/**
 * Each round runs every way of every text once, so that what else the machine does falls on all of them alike. A raw run
 * is the same text on a connection of the same engine, without anything of ours.
 */
export async function statementBench(rounds: number, file?: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gadwall-bench-'));
  const engine = await Engine.open({
    catalogs: [{ name: CATALOG, path: ':memory:', readOnly: false }],
    defaultSchema: 'tpch1',
    initSql: TPCH_SQL,
    tempDirectory: folder,
    threads: 1,
    memoryLimit: '4GB',
  });
  const pipeline = new StatementPipeline(engine, {
    cacheEntries: 1_000_000,
    maxPerUser: 10,
    stuck: { afterMs: 60_000, tell: () => undefined },
  });
  const raw = await engine.connect();
  try {
    const figures: Figure[] = [];
    for (const [name, text] of Object.entries(STATEMENT_TEXTS)) {
      figures.push(...(await measure(name, text, rounds, pipeline, raw)));
    }
    report('statement', { duckdb: '@duckdb/node-api 1.5.5-r.5' }, figures, file);
  } finally {
    raw.close();
    await pipeline.close();
    engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

let unique = 1;

async function measure(
  name: string,
  text: string,
  rounds: number,
  pipeline: StatementPipeline,
  raw: NodeConnection,
): Promise<Figure[]> {
  const seen = text.replace('{u}', '0');
  const fresh = () => text.replace('{u}', String(unique++));
  const ways: Record<string, () => Promise<void>> = {
    raw: () => runRaw(raw, fresh()),
    parse: async () => void (await raw.parse(fresh())),
    plan: async () => void (await raw.plan(fresh())),
    transaction: async () => {
      await raw.run('BEGIN TRANSACTION');
      await raw.run('COMMIT');
    },
    cached: () => runPipeline(pipeline, analyst(), seen),
    'never seen': () => runPipeline(pipeline, analyst(), fresh()),
    superuser: () => runPipeline(pipeline, superuserSet('root'), fresh()),
  };
  const times: Measured = {};
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [way, run] of Object.entries(ways)) {
      const start = performance.now();
      await run();
      if (round >= 0) (times[way] ??= []).push(performance.now() - start);
    }
  }
  const plan = (await raw.plan(seen)) ?? '';
  process.stdout.write(`\n${name}: text ${screen(seen).text.length} B, plan ${(plan.length / 1024).toFixed(1)} KB\n`);
  const of = (way: string) => percentiles(times[way] ?? []);
  printTable(
    ['ms', 'p50', 'p99', 'x raw'],
    Object.keys(ways).map((way) => {
      const { p50, p99 } = of(way);
      return [way, p50.toFixed(3), p99.toFixed(3), (p50 / of('raw').p50).toFixed(2)];
    }),
  );
  const budget = of('raw').p50 + of('parse').p50 + of('plan').p50 + of('transaction').p50 + 0.3;
  return [
    atMost(`${name}: cached`, of('cached').p50, of('raw').p50 + 0.1, 'ms'),
    atMost(`${name}: never seen / superuser`, of('never seen').p50 / of('superuser').p50, 1.3, 'ratio'),
    atMost(`${name}: never seen`, of('never seen').p50, budget, 'ms'),
  ];
}

async function runRaw(connection: NodeConnection, text: string): Promise<void> {
  const result = await connection.stream(text);
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk());
}

const digests = new WeakMap<EffectiveSet, string>();
const sets = new Map<string, EffectiveSet>();

async function runPipeline(pipeline: StatementPipeline, made: EffectiveSet, sql: string): Promise<void> {
  // As a node holds it: one object a digest.
  const set = sets.get(made.username) ?? made;
  sets.set(made.username, set);
  const digest = digests.get(set) ?? setDigest(set);
  digests.set(set, digest);
  const statement = await pipeline.start({
    userId: set.username,
    set,
    digest,
    poolId: 'bench',
    sql,
    parameters: [],
    session: null,
    timeLimit: 60_000,
    maxConcurrent: 10,
    assertCurrent: () => undefined,
    renew: () => Promise.reject(new Error('nothing was overtaken')),
  });
  while ((await statement.next()) !== null);
  await statement.close();
}
