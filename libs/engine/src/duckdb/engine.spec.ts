import { userWith, startPipeline, type TestPipeline } from '../../../../test/support/pipeline';

const SEED = `
  CREATE TABLE country(code VARCHAR); INSERT INTO country VALUES ('FR'), ('DE');
  CREATE SEQUENCE seq; CREATE VIEW next AS SELECT nextval('seq') AS n`;
const adm = userWith('adm', 'ALL *.*.*');

describe('a read-only database in memory', () => {
  let lake: TestPipeline;
  beforeAll(async () => {
    lake = await startPipeline(SEED, { catalogs: [{ name: 'lake', path: ':memory:', readOnly: true }] });
  });
  afterAll(() => lake.close());

  test('answers from what the operator seeded it with', async () => {
    expect((await lake.run(adm, 'SELECT count(*) FROM country')).rows).toEqual([[2]]);
  });

  test.each([
    "INSERT INTO country VALUES ('IT')",
    'DELETE FROM country',
    'CREATE TABLE lake.main.more(a INT)',
    'DROP TABLE lake.main.country',
    'SELECT * FROM next',
  ])('is changed by nobody: %s', async (sql) => {
    expect((await lake.run(adm, sql)).code).not.toBe('ok');
    expect((await lake.run(adm, 'SELECT count(*) FROM country')).rows).toEqual([[2]]);
  });

  test('lets sessions have temporary tables', async () => {
    const session = await lake.session(adm);
    expect((await lake.run(adm, 'CREATE TEMP TABLE mine AS SELECT * FROM country', { session })).code).toBe('ok');
    expect((await lake.run(adm, 'SELECT count(*) FROM mine', { session })).rows).toEqual([[2]]);
  });
});
