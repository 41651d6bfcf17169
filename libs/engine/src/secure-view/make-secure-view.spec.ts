import { makeSecureView } from '@gadwall/engine';
import type { SecureView } from '@gadwall/rbac';
import { ROOT, startPipeline, TestPipeline, userWith } from '../../../../test/support/pipeline';

const SEED = `
  CREATE SCHEMA s1; CREATE TABLE zzbase(id INT, v VARCHAR); INSERT INTO zzbase VALUES (1, 'one'), (2, 'two'), (3, 'three');
  CREATE TABLE kept(id INT, v VARCHAR); CREATE VIEW zzplain AS SELECT id, v FROM lake.main.zzbase;
  CREATE MACRO my_macro() AS 42; CREATE TYPE mood AS ENUM ('a'); CREATE SEQUENCE seq`;

let lake: TestPipeline;
let views: SecureView[] = [];

const of = (name: string) => {
  const [last = '', schema = 'main'] = name.split('.').reverse();
  return { catalog: 'lake', schema, name: last };
};

beforeAll(async () => {
  lake = await startPipeline(SEED);
  for (const [name, query] of [
    ['sv', 'SELECT id, v FROM lake.main.zzbase WHERE id <> 2'],
    ['s1.elsewhere', 'SELECT id FROM lake.main.sv'],
  ] as const) {
    const outcome = await makeSecureView(lake.pipeline.maker, {
      ...{ view: of(name), query, orReplace: false, secureViews: views },
    });
    if (outcome.outcome !== 'made') throw new Error(JSON.stringify(outcome));
    views = [...views, outcome.view];
  }
  expect(await lake.run(ROOT, 'CREATE VIEW over AS FROM lake.main.sv')).toMatchObject({ code: 'ok' });
});
afterAll(() => lake.close());

const rows = async (sql: string, set = ROOT) => {
  const { message, rows: seen } = await lake.run(set, sql);
  return message === '' ? seen : message;
};

test('a secure view is made with what it stands for', () => {
  expect(views).toEqual([
    {
      ...of('sv'),
      body: 'SELECT id , v FROM lake . main . zzbase WHERE ( id != 2 )',
      columns: ['id', 'v'],
      bases: [{ ...of('zzbase'), kind: 'table' }],
    },
    {
      ...of('s1.elsewhere'),
      body: 'SELECT id FROM lake . main . sv',
      columns: ['id'],
      bases: [{ ...of('sv'), kind: 'view' }],
    },
  ]);
});

test.each([
  ['SELECT * FROM zzbase', 'refused', /three parts/],
  ['SELECT * FROM main.zzbase', 'refused', /three parts/],
  ['SELECT * FROM lake.zzbase', 'refused', /three parts/],
  ['SELECT 1 WHERE EXISTS (FROM zzbase)', 'refused', /three parts/],
  ['SELECT * FROM lake.main.zzplain', 'refused', /no secure view/],
  ['SELECT * FROM lake.main.over', 'refused', /no secure view/],
  ['SELECT * FROM lake.main.nosuch', 'refused', /there is no table/],
  ['SELECT * FROM temp.main.t', 'refused', /there is no table|no base table/],
  ['SELECT * FROM lake.main.fresh', 'refused', /there is no table/],
  ['SELECT * FROM system.information_schema.tables', 'refused', /no base table/],
  ['SELECT * FROM duckdb_tables()', 'refused', /cannot/],
  ['SELECT my_macro()', 'refused', /my_macro/],
  ['SELECT system.main.my_macro()', 'refused', /my_macro/],
  ["SELECT 'a'::mood", 'refused', /mood/],
  ['SELECT current_user', 'refused', /whoever reads it/],
  ["SELECT getvariable('x')", 'refused', /getvariable|cannot/],
  ["SELECT current_setting('TimeZone')", 'refused', /cannot/],
  ["SELECT nextval('lake.main.seq')", 'refused', /cannot/],
  ["SELECT * FROM query('SELECT 1')", 'refused', /query\(\)/],
  ["SELECT * FROM query_table('lake.main.zzbase')", 'refused', /query\(\)|cannot/],
  ["SELECT * FROM 'x.csv'", 'refused', /./],
  ["SELECT * FROM read_csv('x.csv')", 'refused', /cannot/],
  ['INSERT INTO lake.main.kept VALUES (1)', 'refused', /a query/],
  ['SELECT 1; SELECT 2', 'invalid', /one statement/i],
  ['SELECT FROM WHERE', 'invalid', /syntax/i],
  ['SELECT nosuch FROM lake.main.zzbase', 'invalid', /nosuch/],
  ['SELECT $1', 'invalid', /./],
])('%s: %s', async (query, outcome, message) => {
  const maker = lake.pipeline.maker;
  const answer = await makeSecureView(maker, { view: of('fresh'), query, orReplace: false, secureViews: views });
  expect({ query, ...answer }).toMatchObject({ query, outcome, message: expect.stringMatching(message) });
  expect(await rows("SELECT count(*) FROM duckdb_views() WHERE view_name = 'fresh'")).toEqual([[0]]);
});

test('under a name that is not taken, or to replace a view', async () => {
  const make = (name: string, orReplace: boolean) =>
    makeSecureView(lake.pipeline.maker, { view: of(name), query: 'SELECT 1 AS a', orReplace, secureViews: views });
  expect(await make('zzplain', false)).toEqual({ outcome: 'exists' });
  expect(await make('zzbase', true)).toMatchObject({
    outcome: 'invalid',
    message: expect.stringMatching(/is a table/),
  });
  expect(await make('nosuch.x', false)).toMatchObject({ outcome: 'invalid' });
  expect(await make('zzplain', true)).toMatchObject({
    outcome: 'made',
    view: { name: 'zzplain', columns: ['a'], bases: [] },
  });
  const itself = { view: of('sv'), query: 'SELECT * FROM lake.main.sv', orReplace: true, secureViews: views };
  expect(await makeSecureView(lake.pipeline.maker, itself)).toMatchObject({ outcome: 'refused' });
  const around = { ...itself, query: 'SELECT id FROM lake.s1.elsewhere' };
  expect(await makeSecureView(lake.pipeline.maker, around)).toMatchObject({ outcome: 'refused' });
  const reader = { ...userWith('ana', 'RO lake.s1.elsewhere'), secureViews: views };
  expect(await rows('SELECT count(*) FROM s1.elsewhere', reader)).toEqual([[2]]);
});
