import { EffectiveSet, setDigest } from '@gadwall/rbac';
import { screen } from '@gadwall/rewriters';
import { startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

const ROWS = 2_000_000;
const of = { role: 'r', catalog: 'lake', schema: 'main', table: 'big' };
const set: EffectiveSet = {
  ...userWith('ana', 'RO lake.main.big'),
  rowPolicies: [{ ...of, predicateSql: "region = 'eu' OR region = 'us'" }],
};

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(
    `CREATE TABLE big AS SELECT i AS id, ['eu', 'us', 'asia'][i % 3 + 1] AS region, i AS n FROM range(${ROWS}) t(i)`,
  );
}, 60_000);
afterAll(() => lake.close());

/** What runs in the place of a statement. */
async function governed(sql: string): Promise<string> {
  expect((await lake.run(set, sql)).code).toBe('ok');
  const digest = setDigest(set);
  const cached = lake.pipeline.cached({ set, digest, session: null, poolId: 'p' } as never, screen(sql));
  return cached?.governed?.text ?? '';
}

/** Rows that the scan of the table gave, of all that it has. */
async function scanned(text: string): Promise<number> {
  const connection = await lake.engine.connect();
  const [row] = await connection.rows(`EXPLAIN (ANALYZE, FORMAT json) ${text}`);
  connection.close();
  const counts: number[] = [];
  const walk = (node: { operator_name?: string; operator_cardinality?: number; children?: never[] }): void => {
    if (node.operator_name?.trim() === 'SEQ_SCAN' || node.operator_name?.trim() === 'TABLE_SCAN')
      counts.push(Number(node.operator_cardinality));
    (node.children ?? []).forEach(walk);
  };
  walk(JSON.parse(String(row?.explain_value)) as Parameters<typeof walk>[0]);
  return counts.reduce((a, b) => a + b, 0);
}

test('B-183: a look-up by key meets no barrier, and reads what the statement written by hand reads', async () => {
  const text = await governed('SELECT n FROM big WHERE id = 1234');
  expect(text).not.toContain('OFFSET');
  const byHand = "SELECT n FROM (SELECT * FROM big WHERE region = 'eu' OR region = 'us') AS big WHERE id = 1234";
  expect(await scanned(text)).toBe(await scanned(byHand));
  expect(await scanned(text)).toBeLessThan(ROWS / 100);
});

test('B-183: one that could fail on a hidden row pays for the barrier', async () => {
  const text = await governed('SELECT count(*) FROM big WHERE 10 // (n - 1234567) > 1');
  expect(text).toContain('OFFSET 0');
  expect(await scanned(text)).toBeGreaterThan(ROWS / 2);
});
