import { EffectiveSet } from '@gadwall/rbac';
import { Outcome, ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

/** Seed 000, "Functions, settings and statement types": a macro of a user is refused until a superuser has admitted it. */
const LAKE = `
  CREATE TABLE customer(id INT, name VARCHAR); INSERT INTO customer VALUES (1, 'Anna'), (2, 'Ben');
  CREATE TABLE orders(id INT, total INT); INSERT INTO orders VALUES (10, 100), (11, 50);
  CREATE TABLE secret(v VARCHAR); INSERT INTO secret VALUES ('hidden');
  CREATE MACRO net(x) AS x * 2;
  CREATE MACRO sales() AS (SELECT sum(total) FROM lake.main.orders);
  CREATE MACRO bare_sales() AS (SELECT sum(total) FROM orders);
  CREATE MACRO over(n) AS TABLE SELECT id FROM lake.main.orders WHERE total > n;
  CREATE MACRO leak() AS (SELECT max(v) FROM lake.main.secret);
  CREATE MACRO gone() AS (SELECT 1);
  CREATE MACRO outer_net(x) AS net(x) + 1;
  CREATE MACRO outer_leak() AS leak();
  CREATE MACRO plus(a, b := 1) AS a + b;
  CREATE MACRO many(a) AS a, (a, b) AS a + b;
  CREATE MACRO told(a, b := current_setting('threads')) AS b;
  CREATE MACRO tabled(a, b := 1) AS TABLE SELECT a + b AS s;
  CREATE MACRO over_told(a) AS told(a);
  CREATE MACRO typed(a VARCHAR) AS a, (a INT, b := current_setting('threads')) AS b;
  CREATE MACRO files(p) AS (SELECT count(*) FROM read_csv(p));
  CREATE MACRO texts(p) AS TABLE SELECT * FROM query(p);
  CREATE MACRO literal_text() AS TABLE SELECT * FROM query('SELECT 1');
  CREATE MACRO tables() AS (SELECT count(*) FROM duckdb_tables());
  CREATE MACRO listed() AS (SELECT count(*) FROM information_schema.tables);
  CREATE MACRO setting() AS current_setting('threads');
  CREATE MACRO twice(x) AS x + x;
  CREATE MACRO wide(n) AS repeat('x', n);
  CREATE SCHEMA s1;
  CREATE TABLE s1.orders(id INT, total INT); INSERT INTO s1.orders VALUES (1, 7)`;

const macrosOf = (set: EffectiveSet, ...names: string[]): EffectiveSet => ({
  ...set,
  macros: names.map((text) => {
    const [name = '', schema = 'main', catalog = 'lake'] = text.split('.').reverse();
    return { catalog, schema, name };
  }),
});
const ana = userWith('ana', 'RO lake.main.customer', 'RO lake.main.orders', 'ALL lake.s1.*');

let lake: TestPipeline;
beforeAll(async () => (lake = await startPipeline(LAKE)));
afterAll(() => lake.close());

/** What superusers do before, and after, a test. */
async function having<T>(make: string, unmake: string, work: () => Promise<T>): Promise<T> {
  expect(await lake.run(ROOT, make)).toMatchObject({ code: 'ok' });
  try {
    return await work();
  } finally {
    expect(await lake.run(ROOT, unmake)).toMatchObject({ code: 'ok' });
  }
}

const answer = ({ code, message, rule, rows }: Outcome) => (code === 'ok' ? rows : { code, message, rule });
const notClassified = (name: string) => ({
  code: 'access_denied',
  message: `function ${name} is not classified`,
  rule: 'function',
});

describe('a macro that is admitted', () => {
  test.each([
    ['SELECT net(id) FROM customer', ['net'], [[2], [4]]],
    ['SELECT NET(2), lake.main.net(3), main."Net"(4)', ['net'], [[4, 6, 8]]],
    ['SELECT sales()', ['sales'], [[150]]],
    ['SELECT bare_sales()', ['bare_sales'], [[150]]],
    ['FROM over(60)', ['over'], [[10]]],
    ['SELECT c.id FROM customer c JOIN over(10) o ON o.id = c.id + 9', ['over'], [[1], [2]]],
    ['SELECT outer_net(1)', ['outer_net', 'net'], [[3]]],
    ['SELECT plus(1, 2), plus(1, b := 2), plus(b := 1, a := 5)', ['plus'], [[3, 3, 6]]],
    ['SELECT many(1), many(1, 2)', ['many'], [[1, 3]]],
    ["FROM query('SELECT net(21)')", ['net'], [[42]]],
    ['WITH a AS (SELECT net(id) AS n FROM customer) SELECT max(n) FROM a', ['net'], [[4]]],
    ['SELECT length(wide(3)), max(length(wide(id))) FROM customer', ['wide'], [[3, 2]]],
  ])('%s', async (sql, macros, rows) => {
    expect(answer(await lake.run(macrosOf(ana, ...macros), sql))).toEqual(rows);
    const [first = ''] = macros;
    expect(await lake.run(ana, sql)).toMatchObject({ code: 'access_denied', rule: 'function' });
    expect((await lake.run(ana, sql)).message.toLowerCase()).toBe(`function ${first} is not classified`);
  });

  test.each([
    ['INSERT INTO lake.s1.orders SELECT net(2), net(total) FROM lake.main.orders WHERE id = 10'],
    ['UPDATE lake.s1.orders SET total = net(total)'],
    ['DELETE FROM lake.s1.orders WHERE id = net(2)'],
  ])('%s', async (sql) => {
    expect(await lake.run(macrosOf(ana, 'net'), sql)).toMatchObject({ code: 'ok' });
    expect(answer(await lake.run(ana, sql))).toEqual(notClassified('net'));
    expect(answer(await lake.run(ana, sql.replace('net(', 'nosuch(')))).toEqual(notClassified('nosuch'));
  });

  test('is in every form of a statement judged by what it stands for now', async () => {
    const admitted = macrosOf(ana, 'gone');
    expect(answer(await lake.run(admitted, 'SELECT gone()'))).toEqual([[1]]);
    const [open, hidden] = ['(SELECT 1)', '(SELECT max(v) FROM lake.main.secret)'];
    await having(
      `CREATE OR REPLACE MACRO lake.main.gone() AS ${hidden}`,
      `CREATE OR REPLACE MACRO lake.main.gone() AS ${open}`,
      async () => {
        expect(answer(await lake.run(admitted, 'SELECT gone()'))).toEqual({
          code: 'access_denied',
          message: 'user:ana lacks grants on lake.main.gone:read',
          rule: 'grant',
        });
      },
    );
    expect(answer(await lake.run(admitted, 'SELECT gone()'))).toEqual([[1]]);
  });

  test('is refused at the next statement when it is withdrawn, in the words of a function that there is not', async () => {
    const session = await lake.session(ana);
    expect((await lake.run(macrosOf(ana, 'net'), 'SELECT net(1)', { session })).rows).toEqual([[2]]);
    expect(answer(await lake.run(ana, 'SELECT net(1)', { session }))).toEqual(notClassified('net'));
    expect(answer(await lake.run(ana, 'SELECT nosuch(1)', { session }))).toEqual(notClassified('nosuch'));
  });

  test('is judged again at COMMIT', async () => {
    const session = await lake.session(ana);
    await lake.run(macrosOf(ana, 'net'), 'BEGIN', { session });
    await lake.run(macrosOf(ana, 'net'), 'INSERT INTO lake.s1.orders VALUES (net(500), 1)', { session });
    expect(answer(await lake.run(ana, 'COMMIT', { session }))).toMatchObject({ code: 'transaction_aborted' });
    await lake.run(ana, 'ROLLBACK', { session });
    expect((await lake.run(ROOT, 'SELECT count(*) FROM lake.s1.orders WHERE id = 1000')).rows).toEqual([[0]]);
  });

  test('reads what its names mean to whoever calls it', async () => {
    const session = await lake.session(ana);
    await lake.run(ana, 'USE lake.s1', { session });
    await lake.run(ROOT, 'CREATE OR REPLACE TABLE lake.s1.orders AS SELECT 1 AS id, 7 AS total');
    const sql = 'SELECT lake.main.bare_sales()';
    expect((await lake.run(macrosOf(ana, 'bare_sales'), sql, { session })).rows).toEqual([[7]]);
    const other = userWith('ana', 'RO lake.main.orders');
    expect(answer(await lake.run(macrosOf(other, 'bare_sales'), sql, { session }))).toMatchObject({ rule: 'grant' });
  });

  test('may be prepared', async () => {
    const session = await lake.session(ana);
    const admitted = macrosOf(ana, 'net');
    expect(answer(await lake.run(admitted, 'PREPARE p AS SELECT net(?)', { session }))).toEqual([]);
    expect(answer(await lake.run(admitted, 'EXECUTE p(4)', { session }))).toEqual([[8]]);
    expect(answer(await lake.run(ana, 'EXECUTE p(4)', { session }))).toEqual(notClassified('net'));
  });
});

describe('what the body of a macro does', () => {
  test.each([
    ["SELECT files('x.csv')", 'files', 'file'],
    ["FROM texts('SELECT 1')", 'texts', 'not-described'],
    ['FROM literal_text()', 'literal_text', 'function'],
    ['SELECT tables()', 'tables', 'listing'],
    ['SELECT listed()', 'listed', 'listing'],
    ['SELECT setting()', 'setting', 'setting'],
    ['SELECT outer_net(1)', 'outer_net', 'function'],
  ])('%s is refused', async (sql, macro, rule) => {
    expect(await lake.run(macrosOf(ana, macro), sql)).toMatchObject({ code: 'access_denied', rule });
    expect(await lake.run(macrosOf(ana, macro), `INSERT INTO lake.s1.orders(id) ${sql}`)).toMatchObject({
      code: 'access_denied',
      rule,
    });
  });

  test.each([
    ['SELECT told(1)', ['told']],
    ['FROM tabled(1)', ['tabled']],
    ['SELECT over_told(1)', ['over_told', 'told']],
    ['SELECT typed(1)', ['typed']],
    ['INSERT INTO lake.s1.orders(id) VALUES (told(1))', ['told']],
    ["FROM query('SELECT told(1)')", ['told']],
  ])('%s is refused: what a default calls is not told', async (sql, macros) => {
    const { code, message } = await lake.run(macrosOf(ana, ...macros), sql);
    expect(code).toBe('access_denied');
    expect(message).toMatch(/^the macro (told|tabled|typed) has defaults, which are not described/);
  });

  test('does nothing by a default that is given a value', async () => {
    expect((await lake.run(macrosOf(ana, 'told', 'tabled'), 'SELECT told(1, 2), s FROM tabled(3, 4)')).rows).toEqual([
      [2, 7],
    ]);
  });

  test('needs the caller’s grants, whatever the macro is admitted for', async () => {
    const nobody = macrosOf(userWith('bob'), 'sales', 'over');
    for (const sql of ['SELECT sales()', 'FROM over(1)']) {
      expect(answer(await lake.run(nobody, sql))).toMatchObject({ code: 'access_denied', rule: 'grant' });
    }
    expect(answer(await lake.run(macrosOf(userWith('bob', 'RO lake.main.orders'), 'sales'), 'SELECT sales()'))).toEqual(
      [[150]],
    );
  });
});

describe('hidden is missing', () => {
  const admitted = macrosOf(ana, 'leak', 'outer_leak', 'sales');
  const LACKS = 'user:ana lacks grants on lake.main.leak:read';

  test.each([
    'SELECT leak()',
    'SELECT id, leak() FROM customer',
    'INSERT INTO lake.s1.orders(id) SELECT length(leak())',
  ])('%s names the macro, not the table that it reads', async (sql) => {
    const hidden = await lake.run(admitted, sql);
    expect(hidden.message).toBe(LACKS);
    expect(hidden.objects).toEqual([{ catalog: 'lake', schema: 'main', name: 'leak', kind: 'macro', access: 'read' }]);
    const missing = await having(
      'ALTER TABLE lake.main.secret RENAME TO moved',
      'ALTER TABLE lake.main.moved RENAME TO secret',
      () => lake.run(admitted, sql),
    );
    expect(missing).toEqual(hidden);
  });

  test('a macro over a macro is named as it is called', async () => {
    expect((await lake.run(admitted, 'SELECT outer_leak()')).message).toBe(
      'user:ana lacks grants on lake.main.outer_leak:read',
    );
  });

  test('a deny on what it reads tells nothing either', async () => {
    const denied = {
      ...admitted,
      permissions: [
        ...admitted.permissions,
        { effect: 'deny' as const, catalog: 'lake', schema: 'main', table: 'secret', verb: 'ALL' as const },
      ],
    };
    expect((await lake.run(denied, 'SELECT leak()')).message).toBe(LACKS);
  });

  test('a table that a grant tells of is named', async () => {
    const writer = macrosOf(userWith('ana', 'DDL lake.main.orders'), 'sales');
    expect((await lake.run(writer, 'SELECT sales()')).message).toBe('user:ana lacks grants on lake.main.orders:read');
  });

  test('a table that the statement names itself is named', async () => {
    expect((await lake.run(admitted, 'SELECT leak() FROM secret')).message).toBe(
      'user:ana lacks grants on lake.main.secret:read',
    );
  });
});

describe('a macro that shadows', () => {
  test('a function of the engine is called where it is admitted', async () => {
    await having("CREATE MACRO lake.main.upper(a) AS 'macro ' || a", 'DROP MACRO lake.main.upper', async () => {
      const sql = "SELECT upper('x'), system.main.upper('x')";
      expect(answer(await lake.run(ana, sql))).toEqual(notClassified('upper'));
      expect(answer(await lake.run(macrosOf(ana, 'upper'), sql))).toEqual([['macro x', 'X']]);
    });
    expect(answer(await lake.run(ana, "SELECT upper('x')"))).toEqual([['X']]);
  });

  test('an operator is called where it is admitted', async () => {
    await having('CREATE MACRO lake.main."~~"(a, b) AS a = b', 'DROP MACRO lake.main."~~"', async () => {
      const sql = "SELECT id FROM customer WHERE name LIKE 'A%'";
      const update = "UPDATE lake.s1.orders SET total = 1 WHERE 'a' LIKE '%'";
      expect(answer(await lake.run(ana, sql))).toEqual(notClassified('~~'));
      expect(answer(await lake.run(ana, update))).toEqual(notClassified('~~'));
      expect(answer(await lake.run(macrosOf(ana, '~~'), sql))).toEqual([]);
      expect(await lake.run(macrosOf(ana, '~~'), update)).toMatchObject({ code: 'ok', affected: 0 });
    });
  });

  test.each([
    ['current_user()', 'current_user', 'SELECT current_user'],
    ['get_current_time()', 'get_current_time', 'SELECT current_time'],
    ['list_value(a)', 'list_value', 'SELECT [1]'],
    ['struct_pack(a)', 'struct_pack', "SELECT {'a': 1}"],
    ['timezone(a, b)', 'timezone', "SELECT now() AT TIME ZONE 'UTC'"],
    ['date_part(a, b)', 'date_part', 'SELECT extract(year FROM today())'],
  ])('what stands for %s without a name is refused until it is admitted', async (signature, name, sql) => {
    await having(`CREATE MACRO lake.main.${signature} AS 7`, `DROP MACRO lake.main.${name}`, async () => {
      const write = sql.replace('SELECT', 'DELETE FROM lake.s1.orders WHERE 1 IN (SELECT') + ')';
      expect(answer(await lake.run(ana, sql))).toEqual(notClassified(name));
      expect(answer(await lake.run(ana, write))).toMatchObject({ code: 'access_denied' });
      expect(answer(await lake.run(macrosOf(ana, name), sql))).toEqual([[7]]);
    });
  });

  test('a function that reads files admits no file', async () => {
    await having(
      'CREATE MACRO lake.main.read_csv(a) AS TABLE SELECT 1',
      'DROP MACRO TABLE lake.main.read_csv',
      async () => {
        expect(await lake.run(macrosOf(ana, 'read_csv'), "FROM read_csv('x.csv')")).toMatchObject({ rule: 'file' });
      },
    );
  });

  test('another macro of its name is refused until both are admitted', async () => {
    await having('CREATE MACRO lake.s1.net(x) AS x * 3', 'DROP MACRO lake.s1.net', async () => {
      for (const sql of ['SELECT net(1)', 'SELECT lake.main.net(1)', 'SELECT lake.s1.net(1)']) {
        expect(answer(await lake.run(macrosOf(ana, 'net'), sql))).toEqual(notClassified('net'));
      }
      const both = macrosOf(ana, 'net', 's1.net');
      expect(answer(await lake.run(both, 'SELECT net(1), lake.s1.net(1)'))).toEqual([[2, 3]]);
    });
  });
});

describe('what calls a macro by its definition', () => {
  test('a view is read with the grants of what the macro reads', async () => {
    const make = 'CREATE VIEW lake.s1.summed AS SELECT lake.main.sales() AS s, lake.main.net(2) AS n';
    await having(make, 'DROP VIEW lake.s1.summed', async () => {
      const sql = 'SELECT * FROM lake.s1.summed';
      expect(answer(await lake.run(macrosOf(ana, 'sales'), sql))).toEqual(notClassified('net'));
      expect(answer(await lake.run(macrosOf(ana, 'sales', 'net'), sql))).toEqual([[150, 4]]);
      const reader = macrosOf(userWith('ana', 'RO lake.s1.*'), 'sales', 'net');
      expect(answer(await lake.run(reader, sql))).toMatchObject({
        message: 'user:ana lacks grants on lake.main.orders:read',
      });
      expect((await lake.run(macrosOf(userWith('ana'), 'sales', 'net'), sql)).message).toBe(
        'user:ana lacks grants on lake.s1.summed:read',
      );
    });
  });

  test('a default, a CHECK and a generated column', async () => {
    const make = `CREATE TABLE lake.s1.made(a INT, b INT DEFAULT net(5), c INT GENERATED ALWAYS AS (net(a)), CHECK (net(a) > 0))`;
    await having(make, 'DROP TABLE lake.s1.made', async () => {
      const [insert, select] = ['INSERT INTO lake.s1.made(a) VALUES (1)', 'SELECT a, b, c FROM lake.s1.made'];
      const update = 'UPDATE lake.s1.made SET a = 2';
      for (const sql of [insert, update, select, 'DELETE FROM lake.s1.made']) {
        expect(answer(await lake.run(ana, sql))).toEqual(notClassified('net'));
      }
      const admitted = macrosOf(ana, 'net');
      expect(await lake.run(admitted, insert)).toMatchObject({ code: 'ok', affected: 1 });
      expect(await lake.run(admitted, update)).toMatchObject({ code: 'ok', affected: 1 });
      expect(answer(await lake.run(admitted, select))).toEqual([[2, 10, 4]]);
      expect(answer(await lake.run(admitted, 'INSERT INTO lake.s1.made(a) VALUES (-1)'))).toMatchObject({
        code: 'sql_error',
      });
    });
  });

  test('a tenant user makes a view and a table of it', async () => {
    const admitted = macrosOf(ana, 'net');
    for (const sql of [
      'CREATE VIEW lake.s1.mine AS SELECT net(1) AS n',
      'CREATE TABLE lake.s1.own(a INT DEFAULT net(1))',
    ]) {
      expect(answer(await lake.run(ana, sql))).toEqual(notClassified('net'));
      expect(answer(await lake.run(admitted, sql))).toEqual([]);
    }
    await lake.run(ROOT, 'DROP VIEW lake.s1.mine');
    await lake.run(ROOT, 'DROP TABLE lake.s1.own');
  });
});

describe('nobody stops a node by a macro', () => {
  const admitted = macrosOf(ana, 'twice', 'wide', 'net');
  const nested = (depth: number): string => 'twice('.repeat(depth) + '1' + ')'.repeat(depth);

  test.each([
    ['that blows up', `SELECT ${nested(16)}`],
    ['that blows up in a text', `FROM query('SELECT ${nested(16)}')`],
    ['that blows up in a write', `UPDATE lake.s1.orders SET total = ${nested(16)}`],
    ['that grows out of a constant', 'SELECT length(wide(100000000))'],
    ['that grows out of a named constant', 'SELECT length(wide(n := 100000000))'],
  ])('a call %s is too large', async (_, sql) => {
    const begun = Date.now();
    expect(await lake.run(admitted, sql)).toMatchObject({ code: 'statement_too_large' });
    expect(Date.now() - begun).toBeLessThan(1000);
  });

  test('calls within bounds are run', async () => {
    expect((await lake.run(admitted, `SELECT ${nested(6)}`)).rows).toEqual([[64]]);
  });

  test('a call behind a dot is refused, for its arguments are not told apart', async () => {
    expect(await lake.run(admitted, 'SELECT id.net() FROM customer')).toMatchObject({
      code: 'access_denied',
      message: 'the macro net is called as net(…), not behind a dot',
    });
  });

  test('an operator that writes an operand twice is too large', async () => {
    await having('CREATE MACRO lake.main."~~"(a, b) AS a = b OR a = 1', 'DROP MACRO lake.main."~~"', async () => {
      expect(await lake.run(macrosOf(ana, '~~'), "SELECT 'a' LIKE 'b'")).toMatchObject({ code: 'statement_too_large' });
    });
  });

  test('a macro that comes to call itself is refused', async () => {
    await lake.run(ROOT, 'CREATE MACRO lake.main.ring(x) AS x');
    await lake.run(ROOT, 'CREATE MACRO lake.main.round(x) AS ring(x)');
    await lake.run(ROOT, 'CREATE OR REPLACE MACRO lake.main.ring(x) AS round(x)');
    expect((await lake.run(macrosOf(ana, 'ring', 'round'), 'SELECT ring(1)')).code).not.toBe('ok');
    await lake.run(ROOT, 'DROP MACRO lake.main.ring');
    await lake.run(ROOT, 'DROP MACRO lake.main.round');
  });
});

test('superusers call every macro', async () => {
  expect((await lake.run(ROOT, 'SELECT lake.main.leak(), lake.main.tables() > 0')).rows).toEqual([['hidden', true]]);
});
