import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

const LAKE = `
  CREATE TABLE customer(id INT, name VARCHAR); INSERT INTO customer VALUES (1, 'Anna'), (2, 'Ben');
  CREATE TABLE orders(id INT PRIMARY KEY, customer_id INT, total INT DEFAULT 5); INSERT INTO orders VALUES (10, 1, 7)`;

const eva = userWith('eva', 'RW lake.main.orders', 'RO lake.main.customer');
const dba = userWith('dba', 'DDL lake.main.*');

let lake: TestPipeline;
beforeAll(async () => {
  lake = await startPipeline(LAKE);
});
afterAll(() => lake.close());

describe('transactions and revocation', () => {
  test('a statement refused under a set that has changed ends the transaction', async () => {
    const session = await lake.session(eva);
    await lake.run(eva, 'BEGIN', { session });
    expect((await lake.run(eva, 'INSERT INTO orders VALUES (600, 1, 1)', { session })).affected).toBe(1);
    const less = userWith('eva', 'RO lake.main.customer');
    const refused = await lake.run(less, 'SELECT * FROM orders', { session });
    expect(refused.code).toBe('transaction_aborted');
    expect(refused.message).toMatch(/^transaction aborted: user:eva lacks grants .*; ROLLBACK to continue$/);
    expect((await lake.run(less, 'SELECT 1', { session })).code).toBe('transaction_aborted');
    expect((await lake.run(less, 'COMMIT', { session })).code).toBe('transaction_aborted');
    expect((await lake.run(less, 'ROLLBACK', { session })).code).toBe('ok');
    expect((await lake.run(less, 'SELECT count(*) FROM customer', { session })).code).toBe('ok');
    expect((await lake.run(ROOT, 'SELECT count(*) FROM orders WHERE id = 600')).rows).toEqual([[0]]);
  });

  test('COMMIT judges the writes again when the set has changed', async () => {
    const session = await lake.session(eva);
    await lake.run(eva, 'BEGIN', { session });
    await lake.run(eva, 'INSERT INTO orders VALUES (601, 1, 1)', { session });
    const less = userWith('eva', 'RO lake.main.orders');
    expect((await lake.run(less, 'COMMIT', { session })).code).toBe('transaction_aborted');
    await lake.run(less, 'ROLLBACK', { session });
    expect((await lake.run(ROOT, 'SELECT count(*) FROM orders WHERE id = 601')).rows).toEqual([[0]]);
  });

  test('a statement that fails leaves a transaction that only ROLLBACK ends', async () => {
    const session = await lake.session(eva);
    await lake.run(eva, 'BEGIN', { session });
    expect((await lake.run(eva, 'INSERT INTO orders VALUES (10, 1, 1)', { session })).code).toBe('sql_error');
    expect((await lake.run(eva, 'SELECT 1', { session })).code).toBe('transaction_aborted');
    const commit = await lake.run(eva, 'COMMIT', { session });
    expect(commit).toMatchObject({
      code: 'transaction_aborted',
      message: 'transaction aborted: an earlier statement failed; ROLLBACK to continue',
    });
    expect((await lake.run(eva, 'ROLLBACK', { session })).code).toBe('ok');
    expect((await lake.run(eva, 'SELECT 1', { session })).rows).toEqual([[1]]);
  });
});

test('COMMIT judges changes of names again when the set has changed', async () => {
  const session = await lake.session(dba);
  await lake.run(dba, 'BEGIN', { session });
  expect((await lake.run(dba, 'CREATE TABLE lake.main.fresh(a INT)', { session })).code).toBe('ok');
  const less = userWith('dba', 'RO lake.main.customer');
  expect((await lake.run(less, 'COMMIT', { session })).code).toBe('transaction_aborted');
  await lake.run(less, 'ROLLBACK', { session });
  expect((await lake.run(ROOT, 'SELECT * FROM lake.main.fresh')).code).toBe('sql_error');
});

test('a COMMIT that the engine refuses has ended the transaction', async () => {
  await lake.run(ROOT, 'CREATE TABLE lake.main.contested(id INT PRIMARY KEY)');
  const writer = userWith('writer', 'RW lake.main.contested');
  const session = await lake.session(writer);
  await lake.run(writer, 'BEGIN', { session });
  expect((await lake.run(writer, 'INSERT INTO contested VALUES (1)', { session })).code).toBe('ok');
  expect((await lake.run(writer, 'INSERT INTO contested VALUES (1)')).code).toBe('ok');
  expect((await lake.run(writer, 'COMMIT', { session })).code).toBe('sql_error');
  expect(session.transaction).toBeNull();
  expect((await lake.run(writer, 'SELECT count(*) FROM contested', { session })).rows).toEqual([[1]]);
  expect((await lake.run(writer, 'BEGIN', { session })).code).toBe('ok');
});
