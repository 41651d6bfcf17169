import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

const LAKE = `
  CREATE TABLE customer(id INT, name VARCHAR, since DATE);
  INSERT INTO customer VALUES (1, 'Anna', '2024-01-01'), (2, 'Ben', '2025-01-01');
  CREATE TABLE orders(id INT, total DECIMAL(10, 2));
  CREATE TABLE secret(id INT, v VARCHAR); INSERT INTO secret VALUES (1, 'hidden')`;

const ana = userWith('ana', 'RO lake.main.customer', 'RW lake.main.orders');
const nil = userWith('nil');

let lake: TestPipeline;
type Session = Awaited<ReturnType<TestPipeline['session']>>;
let session: Session;
beforeAll(async () => {
  lake = await startPipeline(LAKE);
});
beforeEach(async () => {
  session = await lake.session(ana);
});
afterAll(() => lake.close());

const run = (sql: string, set = ana, more = {}) => lake.run(set, sql, { session, ...more });
const codeOf = async (sql: string, set = ana) => (await run(sql, set)).code;

describe('a prepared statement gives what the statement itself would', () => {
  test('with values of each kind, by order and by number', async () => {
    expect(await codeOf('PREPARE by_order AS SELECT id FROM customer WHERE name = ? OR id = ? ORDER BY id')).toBe('ok');
    expect((await run("EXECUTE by_order('Anna', 2)")).rows).toEqual([[1], [2]]);
    expect(await codeOf('PREPARE by_number AS SELECT $2, $1, $2')).toBe('ok');
    expect((await run('EXECUTE by_number(-1, NULL)')).rows).toEqual([[null, -1, null]]);
    expect((await run('EXECUTE by_number(TRUE, 1.5)')).rows[0]?.[1]).toBe(true);
    await run('PREPARE dated AS SELECT id FROM customer WHERE since > $1');
    expect((await run("EXECUTE dated(DATE '2024-06-01')")).rows).toEqual([[2]]);
  });

  test('without values, under whatever spelling of its name', async () => {
    await run('PREPARE "All of them" AS SELECT count(*) FROM customer');
    expect((await run('EXECUTE "all OF them"')).rows).toEqual([[2]]);
    expect((await run('execute "All of them" ()')).rows).toEqual([[2]]);
  });

  test('with parameters of the call', async () => {
    await run('PREPARE one AS SELECT name FROM customer WHERE id = $1');
    expect((await run('EXECUTE one(?)', ana, { parameters: [2] })).rows).toEqual([['Ben']]);
  });

  test('a write too, with its count', async () => {
    await run('PREPARE add AS INSERT INTO orders VALUES ($1, $2)');
    expect((await run('EXECUTE add(1, 12.34)')).affected).toBe(1);
    expect((await lake.run(ROOT, "SELECT count(*) FROM orders WHERE total = '12.34'")).rows).toEqual([[1]]);
  });

  test('the last one of a name, until it is deallocated', async () => {
    await run('PREPARE p AS SELECT 1');
    await run('PREPARE p AS SELECT 2');
    expect((await run('EXECUTE p')).rows).toEqual([[2]]);
    expect(await codeOf('DEALLOCATE PREPARE p')).toBe('ok');
    expect(await run('EXECUTE p')).toMatchObject({ code: 'sql_error', message: /no prepared statement p/ });
    expect(await codeOf('DEALLOCATE p')).toBe('sql_error');
    expect((await run(`EXECUTE "${'n'.repeat(500_000)}"`)).message.length).toBeLessThan(300);
    await run('PREPARE q AS SELECT 1');
    expect(await codeOf('DEALLOCATE ALL')).toBe('ok');
    expect(await codeOf('EXECUTE q')).toBe('sql_error');
  });
});

describe('a prepared statement is judged', () => {
  test('when it is prepared, by what it names and calls', async () => {
    for (const [statement, message] of [
      ['SELECT * FROM secret', 'lacks grants on lake.main.secret:read'],
      ['SELECT * FROM customer, secret WHERE customer.id = $1', 'lacks grants on lake.main.secret:read'],
      ['INSERT INTO customer VALUES ($1, $2, NULL)', 'lacks grants on lake.main.customer:insert'],
      ['SELECT getenv($1)', 'getenv'],
      ['FROM query_table($1)', ''],
      ['FROM query($1)', ''],
      ["SELECT * FROM read_csv('x.csv')", ''],
      ["COPY customer TO 'x.csv'", 'PREPARE COPY'],
      ['CREATE TABLE x(a INT)', 'PREPARE CREATE'],
      ['PREPARE q AS SELECT 1', 'PREPARE PREPARE'],
      ['EXECUTE q', 'PREPARE EXECUTE'],
      ['BEGIN', 'PREPARE BEGIN'],
      ["SET search_path = 's1'", 'PREPARE SET'],
      ['EXPLAIN SELECT 1', 'PREPARE EXPLAIN'],
    ] as const) {
      const refused = await run(`PREPARE p AS ${statement}`);
      expect({ statement, code: refused.code }).toEqual({ statement, code: 'access_denied' });
      expect(refused.message).toContain(message);
    }
    expect(await codeOf('EXECUTE p')).toBe('sql_error');
  });

  test('each time it is executed, by what is granted then', async () => {
    expect(await codeOf('PREPARE p AS SELECT count(*) FROM customer')).toBe('ok');
    expect((await run('EXECUTE p')).rows).toEqual([[2]]);
    const refused = await run('EXECUTE p', nil);
    expect(refused).toMatchObject({
      code: 'access_denied',
      message: 'user:nil lacks grants on lake.main.customer:read',
    });
    expect((await run('EXECUTE p')).rows).toEqual([[2]]);
  });

  test('by what its names mean when it is executed', async () => {
    await lake.run(ROOT, 'CREATE TABLE lake.main.moving AS SELECT 1 AS v');
    const mov = userWith('ana', 'RO lake.main.moving');
    await run('PREPARE p AS SELECT v FROM moving', mov);
    expect((await run('EXECUTE p', mov)).rows).toEqual([[1]]);
    await lake.run(ROOT, 'DROP TABLE lake.main.moving');
    await lake.run(ROOT, 'CREATE VIEW lake.main.moving AS SELECT v FROM lake.main.secret');
    expect((await run('EXECUTE p', mov)).code).toBe('access_denied');
    await lake.run(ROOT, 'DROP VIEW lake.main.moving');
  });

  test('with values that nobody can make into anything else', async () => {
    await run('PREPARE p AS SELECT $1');
    for (const value of [
      '(SELECT max(v) FROM secret)',
      'getenv(1)',
      'id',
      '1, 2',
      '1) FROM secret --',
      'a := 1',
      '1 + 1',
      "'a' || 'b'",
      '*',
      'CAST(v AS INT)',
      '[1]',
    ]) {
      const { code } = await run(`EXECUTE p(${value})`);
      expect({ value, code }).not.toMatchObject({ code: 'ok' });
    }
    expect((await run("EXECUTE p(') FROM secret --')")).rows).toEqual([[') FROM secret --']]);
    expect((await run("EXECUTE p(E'\\'; DROP TABLE customer')")).rows).toEqual([["'; DROP TABLE customer"]]);
    await run("PREPARE t AS FROM query_table('customer') WHERE id = $1");
    expect((await run('EXECUTE t(1)')).rows).toHaveLength(1);
  });

  test('by the number of its values', async () => {
    await run('PREPARE p AS SELECT $1, $2');
    for (const call of ['EXECUTE p', 'EXECUTE p(1)', 'EXECUTE p(1, 2, 3)', 'EXECUTE p()']) {
      expect(await codeOf(call)).toBe('invalid_parameters');
    }
    expect(await codeOf('PREPARE m AS SELECT ?, $1')).toBe('invalid_parameters');
    expect(await codeOf('PREPARE n AS SELECT $name')).toBe('invalid_parameters');
  });
});

describe('a prepared statement belongs to its session', () => {
  test('nobody else’s knows it, and there is none outside of sessions', async () => {
    await run('PREPARE p AS SELECT count(*) FROM customer');
    const other = await lake.session(ana);
    expect((await lake.run(ana, 'EXECUTE p', { session: other })).code).toBe('sql_error');
    for (const sql of ['PREPARE p AS SELECT 1', 'EXECUTE p', 'DEALLOCATE p']) {
      expect(await lake.run(ana, sql)).toMatchObject({ code: 'sql_error', message: /needs a session/ });
    }
  });

  test('it outlives a transaction, and takes part in one', async () => {
    await run('BEGIN');
    await run('PREPARE add AS INSERT INTO orders VALUES (9, $1)');
    expect((await run('EXECUTE add(1)')).affected).toBe(1);
    await run('ROLLBACK');
    expect((await lake.run(ROOT, 'SELECT count(*) FROM orders WHERE id = 9')).rows).toEqual([[0]]);
    expect((await run('EXECUTE add(1)')).affected).toBe(1);
  });

  test('COMMIT judges again what was executed', async () => {
    await run('PREPARE add AS INSERT INTO orders VALUES (10, 1)');
    await run('BEGIN');
    expect((await run('EXECUTE add')).affected).toBe(1);
    expect((await run('COMMIT', nil)).code).toBe('transaction_aborted');
    await run('ROLLBACK', nil);
    expect((await lake.run(ROOT, 'SELECT count(*) FROM orders WHERE id = 10')).rows).toEqual([[0]]);
  });

  test('it keeps so many, and so much text, at most', async () => {
    for (let i = 0; i < 200; i++) expect(await codeOf(`PREPARE p${i} AS SELECT ${i}`)).toBe('ok');
    expect(await run('PREPARE more AS SELECT 1')).toMatchObject({ code: 'statement_too_large', message: /DEALLOCATE/ });
    expect(await codeOf('PREPARE p1 AS SELECT 2')).toBe('ok');
    const large = await lake.session(ana);
    const text = (name: string) => `PREPARE ${name} AS SELECT '${'x'.repeat(1_000_000)}'`;
    for (const name of ['a', 'b', 'c', 'd'])
      expect((await lake.run(ana, text(name), { session: large })).code).toBe('ok');
    expect((await lake.run(ana, text('e'), { session: large })).code).toBe('statement_too_large');
    expect((await lake.run(ana, text('a'), { session: large })).code).toBe('ok');
  });
});
