import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyBinding } from '@gadwall/rbac';
import { boundText, readExpression } from '@gadwall/rewriters';
import { Engine } from '../duckdb';
import { bindPolicy, PolicyParser } from '.';

let engine: Engine;
let parser: PolicyParser;
const folder = mkdtempSync(join(tmpdir(), 'gadwall-policy-'));

beforeAll(async () => {
  parser = await PolicyParser.open();
  engine = await Engine.open({
    catalogs: [{ name: 'lake', path: ':memory:', readOnly: false }],
    defaultSchema: 'main',
    initSql: `CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE SEQUENCE seq;
      CREATE TABLE t(name VARCHAR, n INT, "Quoted col" VARCHAR, m mood, s STRUCT(k VARCHAR), l INT[], price DECIMAL(9, 2));
      CREATE VIEW v AS SELECT * FROM t; CREATE SCHEMA other; CREATE TABLE other.u(x INT)`,
    tempDirectory: folder,
    threads: 1,
    memoryLimit: '256MB',
  });
});
afterAll(async () => {
  await parser.close();
  engine.close();
  rmSync(folder, { recursive: true });
});

const nobody = { user: 'u', tenant: 't', roles: ['r'], groups: [], claims: {}, attrs: {} };

async function fit(text: string | null, masked: string | null = null, table: Partial<PolicyBinding['table']> = {}) {
  const kind = masked === null ? ({ kind: 'predicate' } as const) : ({ kind: 'mask', column: masked } as const);
  const read = text === null ? null : await readExpression(text, kind, parser);
  return bindPolicy(engine, {
    table: { catalog: 'lake', schema: 'main', name: 't', ...table },
    masked,
    expression: read && (await boundText(read.canonical, nobody, 'policy_table', parser)),
    relation: 'policy_table',
    columns: [...(masked === null ? [] : [masked]), ...(read?.columns ?? [])],
  });
}

test.each<[string, string | null]>([
  ['n > 1', null],
  ['name IN (${roles}) OR s.k = ${user} OR list_contains(l, n)', null],
  ['"Quoted col" IS NULL', null],
  ['"quoted COL" IS NULL', null],
  ["'***'", 'name'],
  ['NULL', 'm'],
  ["CASE WHEN m = 'sad' THEN NULL ELSE m END", 'm'],
  ['s', 'S'],
  ["'x'", 'price'],
  ['round(price, 0)', 'price'],
])('%s fits (mask of %s)', async (text, masked) => {
  expect(await fit(text, masked)).toEqual({ outcome: 'bound' });
});

test('names are compared as the engine does it', async () => {
  expect(await fit('N = 1', null, { catalog: 'LAKE', schema: 'Main', name: 'T' })).toEqual({ outcome: 'bound' });
  expect(await fit(null, 'NAME')).toEqual({ outcome: 'bound' });
});

test.each<[string, string | null, string | null, Partial<PolicyBinding['table']>, unknown]>([
  ['a column that is not there', 'nope = 1', null, {}, { outcome: 'no-column', column: 'nope' }],
  ['a mask of one', 'NULL', 'nope', {}, { outcome: 'no-column', column: 'nope' }],
  ['a denial of one', null, 'nope', {}, { outcome: 'no-column', column: 'nope' }],
  ['a number', 'n + 1', null, {}, { outcome: 'not-boolean' }],
  ['NULL', 'NULL', null, {}, { outcome: 'not-boolean' }],
  ['a function that takes other types', 'length(n) = 1', null, {}, { outcome: 'unbound' }],
  ['a field that a struct lacks', "s.nope = 'x'", null, {}, { outcome: 'unbound' }],
  ['a view', 'n = 1', null, { name: 'v' }, { outcome: 'view' }],
  ['a table that is not there', 'n = 1', null, { name: 'nope' }, { outcome: 'no-table' }],
  ['a table of another schema', 'x = 1', null, { name: 'u' }, { outcome: 'no-table' }],
  ['a catalog that is not there', 'n = 1', null, { catalog: "x' OR true --" }, { outcome: 'no-table' }],
])('%s does not', async (_, text, masked, table, outcome) => {
  expect(await fit(text, masked, table)).toEqual(outcome);
});

test('a parser is asked by many at once, and holds and reaches nothing', async () => {
  const texts = Array.from({ length: 50 }, (_, i) => `n = ${i}`);
  const read = await Promise.all(texts.map((text) => readExpression(text, { kind: 'predicate' }, parser)));
  expect(read.map(({ canonical }) => canonical)).toEqual(texts.map((text) => `(${text})`));
  expect(await parser.parse("SELECT * FROM read_text('/etc/passwd')")).toMatchObject({ error: false });
  expect(await parser.parse('DROP TABLE t')).toMatchObject({ error: true });
});
