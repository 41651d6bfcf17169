import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';
import { NodeConnection } from '../duckdb';

const LAKE = `
  CREATE TABLE customer(id INT); INSERT INTO customer VALUES (1), (2);
  CREATE TABLE secret(id INT, v VARCHAR); INSERT INTO secret VALUES (1, 'hidden'); CREATE TABLE t2(a INT);
  CREATE VIEW hc AS SELECT 'hidden constant' AS v; CREATE VIEW hv AS SELECT v FROM lake.main.secret;
  CREATE VIEW flip AS SELECT id AS v FROM lake.main.customer`;

const ana = userWith('ana', 'RO lake.main.customer');
const nil = userWith('nil');

let lake: TestPipeline;
beforeEach(async () => {
  lake = await startPipeline(LAKE);
});
afterEach(() => lake.close());

type Session = Awaited<ReturnType<TestPipeline['session']>>;
const codeOf = async (set: typeof ana, sql: string, session?: Session) => (await lake.run(set, sql, { session })).code;

describe('a temporary object that was rolled back hides nothing', () => {
  test.each(['hc', 'hv', 'secret', 'nosuch'])('%s', async (name) => {
    const before = await lake.run(nil, `FROM ${name}`, { session: await lake.session(nil) });
    for (const object of [`VIEW ${name} AS SELECT 1 AS v`, `TABLE ${name}(v INT)`]) {
      for (const end of ['ROLLBACK', 'COMMIT']) {
        const session = await lake.session(nil);
        await lake.run(nil, 'BEGIN', { session });
        expect(await codeOf(nil, `CREATE TEMP ${object}`, session)).toBe('ok');
        expect(await codeOf(nil, `FROM ${name}`, session)).toBe('ok');
        await lake.run(nil, end, { session });
        const after = await lake.run(nil, `FROM ${name}`, { session });
        if (end === 'ROLLBACK') expect(after).toEqual(before);
        else expect(after.code).toBe('ok');
      }
    }
  });
});

describe('what a transaction of long ago saw is nobody else’s catalog', () => {
  const LOOKS = ['SELECT enum_range(NULL::mood)', 'SELECT v FROM flip', "SELECT upper('x') FROM customer"];
  const change = async () => {
    await lake.run(ROOT, "CREATE TYPE lake.main.mood AS ENUM('hid1', 'hid2')");
    await lake.run(ROOT, "CREATE OR REPLACE VIEW lake.main.flip AS SELECT 'hidden constant' AS v");
    await lake.run(ROOT, "CREATE MACRO lake.main.upper(a) AS 'macro secret'");
  };

  test.each(['a session as it was opened', 'a session that was set'])('%s', async (kind) => {
    const session = await lake.session(ana);
    if (kind === 'a session that was set') await lake.run(ana, 'SET VARIABLE a = 1', { session });
    await lake.run(ana, 'BEGIN', { session });
    await lake.run(ana, 'SELECT 1 FROM customer', { session });
    await change();
    await lake.run(ana, 'SELECT count(*) FROM customer', { session });
    for (const sql of LOOKS) expect(await codeOf(ana, sql)).toBe('access_denied');
    await lake.run(ana, 'COMMIT', { session });
    for (const sql of LOOKS) expect(await codeOf(ana, sql, session)).toBe('access_denied');
  });

  test('and what came after is not the catalog of that transaction', async () => {
    await change();
    const session = await lake.session(ana);
    await lake.run(ana, 'BEGIN', { session });
    await lake.run(ana, 'SELECT 1 FROM customer', { session });
    await lake.run(ROOT, 'DROP TYPE lake.main.mood');
    await lake.run(ROOT, 'CREATE OR REPLACE VIEW lake.main.flip AS SELECT id AS v FROM lake.main.customer');
    await lake.run(ROOT, 'DROP MACRO lake.main.upper');
    expect(await codeOf(ana, 'SELECT v FROM flip')).toBe('ok');
    for (const sql of LOOKS) expect(await codeOf(ana, sql, session)).toBe('access_denied');
  });
});

describe('what changes between the look at the names and the look of the engine is seen', () => {
  test.each([
    ["SELECT upper('x') FROM customer", "CREATE MACRO lake.main.upper(a) AS 'macro secret'"],
    ['SELECT v FROM flip', "CREATE OR REPLACE VIEW lake.main.flip AS SELECT 'hidden constant' AS v"],
  ])('%s', async (sql, change) => {
    expect(await codeOf(ana, sql)).toBe('ok');
    const plan = jest.spyOn(NodeConnection.prototype, 'plan').mockImplementationOnce(async function (
      this: NodeConnection,
      text,
    ) {
      plan.mockRestore();
      expect(await codeOf(ROOT, change)).toBe('ok');
      return this.plan(text);
    });
    expect(await codeOf(ana, `${sql} LIMIT 7`)).toBe('access_denied');
  });
});

test('a statement that is cut off in the BEGIN that the node puts before it leaves no transaction', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const session = await lake.session(ana);
    const controller = new AbortController();
    const turn = (left: number) => (left <= 0 ? controller.abort() : setImmediate(() => turn(left - 1)));
    turn(turns);
    await lake.run(ana, `SELECT ${turns} FROM customer`, { session, signal: controller.signal });
    expect(session.transaction).toBeNull();
    expect(await codeOf(ana, `SELECT ${turns} + id FROM customer`, session)).toBe('ok');
    expect(await codeOf(ana, 'BEGIN', session)).toBe('ok');
  }
});

test('COMMIT judges what was written under a set that was given and taken away since BEGIN', async () => {
  const writer = userWith('ana', 'RO lake.main.customer', 'RW lake.main.t2');
  const session = await lake.session(ana);
  await lake.run(ana, 'BEGIN', { session });
  expect(await codeOf(writer, 'INSERT INTO t2 VALUES (42)', session)).toBe('ok');
  expect(await codeOf(ana, 'COMMIT', session)).toBe('transaction_aborted');
  await lake.run(ana, 'ROLLBACK', { session });
  const again = await lake.session(ana);
  await lake.run(ana, 'BEGIN', { session: again });
  await lake.run(writer, 'INSERT INTO t2 VALUES (42)', { session: again });
  expect(await codeOf(ana, 'INSERT INTO t2 VALUES (43)', again)).toBe('transaction_aborted');
  expect((await lake.run(ROOT, 'SELECT count(*) FROM t2')).rows).toEqual([[0]]);
});
