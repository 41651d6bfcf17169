import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine, NodeConnection, StatementPipeline, type StatementRequest } from '@gadwall/engine';
import { ColumnPolicy, EffectiveSet, OfRole, RowPolicy, setDigest, superuserSet } from '@gadwall/rbac';
import { screen } from '@gadwall/rewriters';
import { tpchSql } from '../apps/cli/src/demo/tpch';
import { atMost, Figure, percentiles, printTable, report } from './figures';
import { GOVERNED_TEXTS } from './governed-texts';

const CATALOG = 'acme_tpch';
const TABLES = ['region', 'nation', 'supplier', 'customer', 'part', 'partsupp', 'orders', 'lineitem'];
const at = (table: string) => ({ role: 'analyst', catalog: CATALOG, schema: 'tpch1', table });

/** Three masks, two row filters. */
const MASKS: OfRole<ColumnPolicy>[] = [
  { ...at('customer'), column: 'c_phone', action: 'mask', transformSql: "'***'" },
  { ...at('customer'), column: 'c_name', action: 'mask', transformSql: "left(c_name, 9) || '***'" },
  { ...at('supplier'), column: 's_name', action: 'mask', transformSql: "left(s_name, 12) || '***'" },
];
const FILTERS: OfRole<RowPolicy>[] = [
  { ...at('customer'), predicateSql: "c_mktsegment = 'BUILDING'" },
  { ...at('lineitem'), predicateSql: "l_shipmode <> 'AIR'" },
];
/** The same, as somebody would write it in each statement. */
const BY_HAND: Readonly<Record<string, string>> = {
  customer: `(SELECT * REPLACE ('***' AS c_phone, left(c_name, 9) || '***' AS c_name) FROM customer
    WHERE c_mktsegment = 'BUILDING')`,
  supplier: "(SELECT * REPLACE (left(s_name, 12) || '***' AS s_name) FROM supplier)",
  lineitem: "(SELECT * FROM lineitem WHERE l_shipmode <> 'AIR')",
};

function analyst(username: string, policies: Pick<EffectiveSet, 'columnPolicies' | 'rowPolicies'>): Reader {
  const permissions = TABLES.map((table) => ({ effect: 'allow', ...at(table), verb: 'RO' }) as const);
  const set = { ...superuserSet(username), tenant: 'acme', permissions, catalogs: [CATALOG], ...policies };
  return { set, digest: setDigest(set) };
}

interface Reader {
  set: EffectiveSet;
  digest: string;
}

const NONE = { columnPolicies: [], rowPolicies: [] };
const governed = analyst('governed', { columnPolicies: MASKS, rowPolicies: FILTERS });
const free = analyst('free', NONE);
/** Under a hundred policies on tables that no statement here reads. */
const elsewhere = analyst('elsewhere', {
  columnPolicies: [],
  rowPolicies: Array.from({ length: 100 }, (_, i) => ({ ...at(`other_${i}`), predicateSql: 'true' })),
});

/** Rounds before the first that counts, at most: a node in service has compiled its code. */
const WARM_UP = 20;

/**
 * What governing costs, against the governed statement written by hand in raw DuckDB. Each round runs every way of every text
 * once, so that what else the machine does falls on all of them alike.
 *
 * @param scale TPC-H scale factor
 */
export async function governedBench(rounds: number, scale: number, file?: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gadwall-bench-'));
  const engine = await Engine.open({
    catalogs: [{ name: CATALOG, path: ':memory:', readOnly: false }],
    defaultSchema: 'tpch1',
    initSql: tpchSql(Math.max(1, Math.round(scale * 100))),
    tempDirectory: folder,
    threads: 1,
    memoryLimit: '8GB',
  });
  const pipeline = new StatementPipeline(engine, {
    cacheEntries: 1_000_000,
    maxPerUser: 10,
    stuck: { afterMs: 60_000, tell: () => undefined },
    observe: ({ seconds }) => {
      if (seconds !== null) rewriting.push(seconds * 1000);
    },
  });
  const raw = await engine.connect();
  try {
    const figures: Figure[] = [];
    for (const [name, text] of Object.entries(GOVERNED_TEXTS)) {
      figures.push(...(await measure(name, text, rounds, pipeline, raw)));
    }
    report('governed', { duckdb: '@duckdb/node-api 1.5.5-r.5', scale: String(scale) }, figures, file);
  } finally {
    raw.close();
    await pipeline.close();
    engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

let unique = 1;
/** ms that rewriting and proof took, of each statement whose text was not known. */
const rewriting: number[] = [];

async function measure(
  name: string,
  template: string,
  rounds: number,
  pipeline: StatementPipeline,
  raw: NodeConnection,
): Promise<Figure[]> {
  const text = template.replace(/\{(\w+)( \w+)?\}/g, (whole, table: string, alias = '') =>
    table === 'u' ? whole : `${table}${String(alias)}`,
  );
  const byHand = template.replace(/\{(\w+)( \w+)?\}/g, (whole, table: string, alias = ` ${table}`) =>
    table === 'u' ? whole : `${BY_HAND[table] ?? table} AS${String(alias)}`,
  );
  const seen = (one: string) => one.replace('{u}', '0');
  const fresh = (one: string) => one.replace('{u}', String(unique++));
  await run(pipeline, governed, seen(text));
  const ran = pipeline.cached(requestOf(governed, seen(text)), screen(seen(text)))?.governed?.text ?? '';
  const ways: Record<string, () => Promise<unknown>> = {
    'by hand, prepared': () => drained(() => raw.streamPrepared(seen(byHand))),
    'governed text': () => drained(() => raw.streamPrepared(ran)),
    'governed, cached': () => run(pipeline, governed, seen(text)),
    'plain, prepared': () => drained(() => raw.streamPrepared(seen(text))),
    'no policy, cached': () => run(pipeline, free, seen(text)),
    'by hand': () => drained(() => raw.stream(fresh(byHand))),
    plain: () => drained(() => raw.stream(fresh(text))),
    'governed, never seen': () => run(pipeline, governed, fresh(text)),
    'no policy, never seen': () => run(pipeline, free, fresh(text)),
    '100 policies elsewhere': () => run(pipeline, elsewhere, fresh(text)),
    describe: () => raw.plan(fresh(text)),
  };
  const times: Record<string, number[]> = {};
  for (let round = -Math.min(WARM_UP, Math.ceil(rounds / 2)); round < rounds; round++) {
    if (round === 0) rewriting.length = 0;
    for (const [way, go] of Object.entries(ways)) {
      const start = performance.now();
      await go();
      if (round >= 0) (times[way] ??= []).push(performance.now() - start);
    }
  }
  process.stdout.write(`\n${name}\n`);
  const of = (way: string) => percentiles(times[way] ?? []);
  printTable(
    ['ms', 'p50', 'p99', 'x by hand, prepared'],
    Object.keys(ways).map((way) => {
      const { p50, p99 } = of(way);
      return [way, p50.toFixed(3), p99.toFixed(3), (p50 / of('by hand, prepared').p50).toFixed(3)];
    }),
  );
  const same = (await optimized(raw, ran)) === (await optimized(raw, seen(byHand)));
  const ratio = lowerBound(times['governed text'] ?? [], times['by hand, prepared'] ?? []);
  // What the pipeline itself adds to a statement whose verdict is known stands in both.
  const cached =
    of('governed, cached').p50 - of('governed text').p50 - (of('no policy, cached').p50 - of('plain, prepared').p50);
  return [
    atMost(`${name}: optimized plans differ`, same ? 0 : 1, 0, 'plans'),
    atMost(`${name}: run, lower end of 95 %`, ratio, 1.03, 'ratio'),
    atMost(`${name}: cached, added`, cached, 0.1, 'ms'),
    atMost(`${name}: rewriting and proof`, percentiles(rewriting).p50 / of('describe').p50, 2, 'x describe'),
    atMost(
      `${name}: 100 policies elsewhere`,
      lowerBound(times['100 policies elsewhere'] ?? [], times['no policy, never seen'] ?? []),
      1.02,
      'ratio',
    ),
  ];
}

/** The lower end of the 95 % interval of a ratio of medians, by resampling pairs of one round. */
function lowerBound(a: readonly number[], b: readonly number[]): number {
  const ratios = Array.from({ length: 1000 }, () => {
    const picked = a.map(() => Math.floor(Math.random() * a.length));
    const median = (of: readonly number[]) => percentiles(picked.map((i) => of[i] as number)).p50;
    return median(a) / median(b);
  });
  return ratios.sort((x, y) => x - y)[25] as number;
}

/** The plan that the engine runs: operators, tables, filters of scans and conditions, without names of columns. */
async function optimized(raw: NodeConnection, text: string): Promise<string> {
  const rows = await raw.rows(`EXPLAIN (FORMAT json) ${text}`);
  const plan = JSON.parse(String(rows[0]?.explain_value)) as Operator[];
  return JSON.stringify(plan.map(shapeOf));
}

interface Operator {
  name: string;
  children: Operator[];
  extra_info: Record<string, unknown>;
}

function shapeOf({ name, children, extra_info: info }: Operator): unknown {
  return [name.trim(), info.Table ?? null, info.Filters ?? null, info.Conditions ?? null, children.map(shapeOf)];
}

async function drained(start: () => ReturnType<NodeConnection['stream']>): Promise<void> {
  const result = await start();
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk());
}

function requestOf({ set, digest }: Reader, sql: string): StatementRequest {
  return {
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
  };
}

async function run(pipeline: StatementPipeline, reader: Reader, sql: string): Promise<void> {
  const statement = await pipeline.start(requestOf(reader, sql));
  while ((await statement.next()) !== null);
  await statement.close();
}
