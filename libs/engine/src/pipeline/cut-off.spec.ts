import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

const LAKE = `
  CREATE TABLE customer(id INT, name VARCHAR); INSERT INTO customer VALUES (1, 'Anna'), (2, 'Ben');
  CREATE TABLE orders(id INT PRIMARY KEY, customer_id INT, total INT DEFAULT 5);
  CREATE SCHEMA s1; CREATE SEQUENCE seq; CREATE TABLE numbered(id INT DEFAULT nextval('seq'), name VARCHAR)`;

const eva = userWith('eva', 'RW lake.main.orders', 'RO lake.main.customer', 'RW lake.main.numbered');

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(LAKE);
});
afterAll(() => lake.close());

describe('a statement that is cut off', () => {
  /** Stops the statement after so many turns of the event loop: the engine may have it, or have done it. */
  const cutAfter = (turns: number): AbortSignal => {
    const controller = new AbortController();
    const turn = (left: number) => (left <= 0 ? controller.abort() : setImmediate(() => turn(left - 1)));
    turn(turns);
    return controller.signal;
  };
  test('what a session is set to is known, or the session is lost', async () => {
    const viewer = userWith('viewer', 'RO lake.main.customer', 'RO lake.s1.customer');
    await lake.run(ROOT, 'CREATE TABLE lake.s1.customer AS SELECT 77 AS id');
    // The verdict that other sessions share.
    expect((await lake.run(viewer, 'SELECT min(id) FROM customer')).rows).toEqual([[1]]);
    const outcomes = new Set<string>();
    for (let turns = 0; turns < 100_000; turns += 1 + (turns >> 2)) {
      const session = await lake.session(viewer);
      const { code } = await lake.run(viewer, 'USE lake.s1', { session, signal: cutAfter(turns) });
      const after = await lake.run(viewer, 'SELECT min(id) FROM customer', { session });
      if (after.code === 'ok') expect([[[1]], [[77]]]).toContainEqual(after.rows);
      else expect(after.code).toBe('session_lost');
      // What it sees, it sees by a verdict of its own: one that shares it must have the path as it was.
      if (after.code === 'ok' && session.epoch === 0) expect(after.rows).toEqual([[1]]);
      outcomes.add(code);
      if (code === 'ok') break;
    }
    expect([...outcomes].sort()).toEqual(['cancelled', 'ok']);
    await lake.run(ROOT, 'DROP TABLE lake.s1.customer');
  });

  test.each(['BEGIN', 'COMMIT', 'ROLLBACK'])(
    '%s leaves a transaction that is known, or a lost session',
    async (word) => {
      for (let turns = 0; turns < 100_000; turns += 1 + (turns >> 2)) {
        const session = await lake.session(eva);
        if (word !== 'BEGIN') await lake.run(eva, 'BEGIN', { session });
        const { code } = await lake.run(eva, word, { session, signal: cutAfter(turns) });
        const open = session.transaction !== null;
        const ended = await lake.run(eva, 'ROLLBACK', { session });
        // The engine knows of a transaction exactly when the node does.
        expect(ended.code).toBe(session.lost ? 'session_lost' : open ? 'ok' : 'sql_error');
        if (code !== 'cancelled') break;
      }
    },
  );

  test('a write in a transaction of the user ends it', async () => {
    const session = await lake.session(eva);
    await lake.run(eva, 'BEGIN', { session });
    const slow = 'INSERT INTO numbered(name) SELECT a::VARCHAR FROM range(30000000) t(a)';
    expect((await lake.run(eva, slow, { session, timeLimit: 400 })).code).toBe('statement_timeout');
    expect((await lake.run(eva, 'COMMIT', { session })).code).toBe('transaction_aborted');
    expect((await lake.run(eva, 'ROLLBACK', { session })).code).toBe('ok');
  });
});
