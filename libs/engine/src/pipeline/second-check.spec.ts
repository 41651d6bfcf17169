import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';
import { DomainError, setDigest } from '@gadwall/rbac';

const LAKE = `
  CREATE TABLE customer(id INT, name VARCHAR); INSERT INTO customer VALUES (1, 'Anna'), (2, 'Ben');
  CREATE TABLE orders(id INT PRIMARY KEY, customer_id INT, total INT DEFAULT 5);
  CREATE SCHEMA s1; CREATE SEQUENCE seq; CREATE TABLE numbered(id INT DEFAULT nextval('seq'), name VARCHAR)`;

const ana = userWith('ana', 'RO lake.main.customer', 'RO lake.main.orders');
const eva = userWith('eva', 'RW lake.main.orders', 'RO lake.main.customer', 'RW lake.main.numbered');

/** The second check, and every one after it, finds a newer version. */
const overtaken = () => overtakenAfter(1);
const overtakenAfter = (calls: number) => () => {
  if (calls-- <= 0) throw new DomainError('stale');
};

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(LAKE);
});
afterAll(() => lake.close());

describe('the second check (DESIGN section 5, rule 4)', () => {
  test('rows of a statement that was overtaken while it was bound do not go out, and its write does not stand', async () => {
    expect((await lake.run(ana, 'SELECT id FROM customer', { assertCurrent: overtaken() })).code).toBe('stale');
    const insert = 'INSERT INTO orders VALUES (500, 1, 1)';
    expect((await lake.run(eva, insert, { assertCurrent: overtaken() })).code).toBe('stale');
    expect((await lake.run(ROOT, 'SELECT count(*) FROM orders WHERE id = 500')).rows).toEqual([[0]]);
  });
});

describe('the second check in a transaction of the user', () => {
  test('ends it when the statement may have changed something: sent anew it would happen twice', async () => {
    const session = await lake.session(eva);
    await lake.run(eva, 'BEGIN', { session });
    const insert = 'INSERT INTO orders VALUES (510, 1, 1)';
    const overtaken = await lake.run(eva, insert, { session, assertCurrent: overtakenAfter(1) });
    expect(overtaken.code).toBe('transaction_aborted');
    expect((await lake.run(eva, insert, { session })).code).toBe('transaction_aborted');
    expect((await lake.run(eva, 'ROLLBACK', { session })).code).toBe('ok');
    expect((await lake.run(ROOT, 'SELECT count(*) FROM orders WHERE id = 510')).rows).toEqual([[0]]);
  });

  test('lets a read be sent anew', async () => {
    const session = await lake.session(ana);
    await lake.run(ana, 'BEGIN', { session });
    const read = 'SELECT count(*) FROM customer';
    expect((await lake.run(ana, read, { session, assertCurrent: overtakenAfter(1) })).code).toBe('stale');
    expect((await lake.run(ana, read, { session })).rows).toEqual([[2]]);
    expect((await lake.run(ana, 'COMMIT', { session })).code).toBe('ok');
  });
});

describe('a statement that is overtaken while the engine takes its snapshot', () => {
  const INSERT = (id: number) => `INSERT INTO orders VALUES (${id}, 1, 1)`;
  const digest = setDigest(eva);
  const current = () => undefined;
  const count = async (id: number) => (await lake.run(ROOT, `SELECT count(*) FROM orders WHERE id = ${id}`)).rows;

  test('goes on when the new version gives the same set: its work is not done twice', async () => {
    const renew = jest.fn(() => Promise.resolve({ digest, assertCurrent: current }));
    const { code, rows } = await lake.run(eva, 'SELECT count(*) FROM customer', { assertCurrent: overtaken(), renew });
    expect({ code, rows }).toEqual({ code: 'ok', rows: [[2]] });
    expect((await lake.run(eva, INSERT(520), { assertCurrent: overtaken(), renew })).affected).toBe(1);
    expect(await count(520)).toEqual([[1]]);
    expect(renew).toHaveBeenCalledTimes(2);
  });

  test('in a transaction too, which goes on', async () => {
    const session = await lake.session(eva);
    const renew = () => Promise.resolve({ digest, assertCurrent: current });
    await lake.run(eva, 'BEGIN', { session });
    expect((await lake.run(eva, INSERT(521), { session, assertCurrent: overtaken(), renew })).code).toBe('ok');
    expect((await lake.run(eva, 'COMMIT', { session })).code).toBe('ok');
    expect(await count(521)).toEqual([[1]]);
  });

  test('asks again when it is overtaken again', async () => {
    let versions = 3;
    const renew = () => Promise.resolve({ digest, assertCurrent: versions-- > 0 ? overtakenAfter(0) : current });
    expect((await lake.run(eva, INSERT(522), { assertCurrent: overtaken(), renew })).code).toBe('ok');
    const twice = [() => Promise.reject(new DomainError('stale')), renew];
    const stale = () => (twice.length > 1 ? twice.shift() : twice[0])?.() ?? renew();
    expect((await lake.run(eva, INSERT(523), { assertCurrent: overtaken(), renew: stale })).code).toBe('ok');
  });

  test('is sent anew, with nothing done, when the set is another one, or gate 1 or nobody answers', async () => {
    const others = [
      () => Promise.resolve({ digest: 'another', assertCurrent: current }),
      () => Promise.reject(new DomainError('user_disabled')),
      () => Promise.reject(new Error('connect ECONNREFUSED')),
    ];
    for (const renew of others) {
      expect((await lake.run(eva, INSERT(524), { assertCurrent: overtaken(), renew })).code).toBe('stale');
    }
    expect(await count(524)).toEqual([[0]]);
  });

  test('does not wait for an answer beyond its time limit', async () => {
    const renew = () => new Promise<never>(() => undefined);
    const { code } = await lake.run(eva, INSERT(525), { assertCurrent: overtaken(), renew, timeLimit: 300 });
    expect(code).toBe('statement_timeout');
  });

  test('a lease that has lapsed is not asked about', async () => {
    const renew = jest.fn(() => Promise.resolve({ digest, assertCurrent: current }));
    let calls = 0;
    const lapsed = () => {
      if (++calls > 1) throw new DomainError('authz_unavailable');
    };
    expect((await lake.run(eva, INSERT(526), { assertCurrent: lapsed, renew })).code).toBe('authz_unavailable');
    expect(renew).not.toHaveBeenCalled();
  });
});

describe('a write with RETURNING', () => {
  const start = (sql: string, assertCurrent: () => void) =>
    lake.pipeline.start({
      userId: 'eva',
      set: eva,
      digest: 'returning',
      poolId: 'pool',
      sql,
      parameters: [],
      session: null,
      timeLimit: 10_000,
      maxConcurrent: 10,
      assertCurrent,
      renew: () => Promise.reject(new Error('nothing was overtaken')),
    });

  test('gives its rows, and is committed before the first of them goes out: it waits for no reader', async () => {
    const running = await start('INSERT INTO orders VALUES (700, 1, 1), (701, 1, 1) RETURNING id', () => undefined);
    expect((await lake.run(ROOT, 'SELECT count(*) FROM orders WHERE id IN (700, 701)')).rows).toEqual([[2]]);
    expect((await running.next())?.getRows()).toEqual([[700], [701]]);
    expect(await running.next()).toBeNull();
    await running.close();
  });

  test('that was overtaken leaves nothing, prepared or not', async () => {
    for (let i = 0; i < 2; i++) {
      const insert = 'INSERT INTO orders VALUES (702, 1, 1) RETURNING id';
      expect((await lake.run(eva, insert, { assertCurrent: overtaken() })).code).toBe('stale');
    }
    expect((await lake.run(ROOT, 'SELECT count(*) FROM orders WHERE id = 702')).rows).toEqual([[0]]);
  });
});

test('a version that moves while a session is set does not lose the session, unless it was set from rows', async () => {
  const session = await lake.session(ana);
  expect((await lake.run(ana, "SET search_path = 'main'", { session, assertCurrent: overtaken() })).code).toBe('ok');
  const fromRows = 'SET VARIABLE n = (SELECT count(*) FROM customer)';
  expect((await lake.run(ana, fromRows, { session, assertCurrent: overtaken() })).code).toBe('stale');
  expect((await lake.run(ana, 'SELECT 1', { session })).code).toBe('session_lost');
});
