import { join } from 'node:path';
import * as fc from 'fast-check';
import { type PolicyCase, readSuite } from '@gadwall/policy-tests';
import { CATALOG_SQL, OWN_CATALOGS, READ_ONLY_CATALOG, TABLES } from '../statements/catalog';
import { generated } from '../statements/render-statement';
import { statement } from '../statements/statement';
import type { Ground, Trial } from './ground';

const CASES = join(__dirname, '../../conformance/cases');
/** Files of fixtures whose databases the statements of all cases are tried on, by how the names of the fixtures begin. */
const FIXTURES = ['lake.yaml', 'pubsec.yaml'] as const;
/** Generated statements in the corpus. */
const GENERATED = 400;

/** What a user may do who is granted nothing, or the one table T: of their mutants some are let through, and run. */
const HARMLESS = [
  'SELECT 1 AS a, $$x$$ AS b',
  'SELECT * FROM range(3) r(a), (VALUES (1), (2)) v(b) WHERE a < b',
  'WITH c AS (SELECT 1 AS a) SELECT * FROM c WHERE a IN (SELECT a FROM c)',
  "SELECT lower('A') || upper('b'), {'a': 1}.a, [1, 2][1], 1::VARCHAR",
  "FROM query('SELECT 1 AS a')",
  'EXPLAIN SELECT 1 UNION ALL SELECT 2',
  'CREATE TEMP TABLE own AS SELECT 1 AS a',
  'SET VARIABLE a = 1',
  'SELECT * FROM T',
  'FROM T AS t SELECT count(*) GROUP BY ALL ORDER BY ALL LIMIT 3',
  'WITH c AS (SELECT * FROM T) SELECT * FROM c UNION ALL FROM c',
  'SELECT (SELECT count(*) FROM T), EXISTS (SELECT 1 FROM T)',
  "SELECT * FROM query('FROM T'), LATERAL (SELECT count(*) FROM T) l",
  'EXPLAIN ANALYZE SELECT * FROM T t JOIN T u ON true',
];
/** How often each of them is in the corpus. */
const TIMES = 20;

function harmlessOn(ground: string, { reads: { catalog, schema, table } }: Ground): Trial['corpus'] {
  const all = HARMLESS.map((sql) => ({ ground, sql: sql.replace(/\bT\b/g, `${catalog}.${schema}.${table}`) }));
  return Array.from({ length: TIMES }, () => all).flat();
}

/** Statements of the conformance cases and generated ones, each with the catalog that it is of. */
export function corpusOf(seed: number): Pick<Trial, 'grounds' | 'corpus'> {
  const suite = readSuite(CASES, null);
  const cases = 'cases' in suite ? suite.cases : [];
  const grounds: Record<string, Ground> = { generated: GENERATED_GROUND };
  const made = fc.sample(statement, { numRuns: GENERATED, seed }).map((one) => generated(one).sql);
  const corpus = made.map((sql) => ({ ground: 'generated', sql }));
  for (const file of FIXTURES) {
    const prefix = file.replace('.yaml', '');
    const own = cases.find(({ fixture }) => fixture.file.endsWith(`/${file}`));
    if (!own) throw new Error(`no case is of the fixture ${file}`);
    grounds[prefix] = groundOf(own);
    for (const one of cases) {
      if (!one.fixture.file.includes(`/${prefix}`)) continue;
      for (const step of one.runs.flat()) if (step.kind === 'statement') corpus.push({ ground: prefix, sql: step.sql });
    }
  }
  for (const [name, ground] of Object.entries(grounds)) corpus.push(...harmlessOn(name, ground));
  return { grounds, corpus };
}

function groundOf({ fixture }: PolicyCase): Ground {
  const catalogs = fixture.databases.map(({ name, kind }) => ({ name, readOnly: kind === 'federated' }));
  // The engine itself has no secure views.
  const fill = fixture.databases.flatMap(({ name, statements }) => [
    `USE "${name}".main`,
    ...statements.filter((sql) => !/^\s*CREATE\s+SECURE/i.test(sql)),
  ]);
  const lake = fixture.databases[0]?.name === 'lake';
  const reads = lake ? { schema: 'main', table: 'pg_events' } : { schema: 'pub', table: 'v3' };
  return {
    catalogs,
    initSql: fill.join(';\n'),
    secrets: [...fixture.secrets],
    reads: { effect: 'allow', catalog: fixture.databases[0]?.name ?? '', verb: 'RO', ...reads },
  };
}

const GENERATED_GROUND: Ground = {
  catalogs: [...OWN_CATALOGS.map((name) => ({ name, readOnly: false })), { name: READ_ONLY_CATALOG, readOnly: true }],
  initSql: [
    CATALOG_SQL,
    ...TABLES.map(
      ({ catalog, schema, name }) =>
        `INSERT INTO ${catalog}.${schema}.${name} VALUES (1, 1, '${name === 'audit' ? 'open' : `hush-${name}`}')`,
    ),
  ].join(';\n'),
  secrets: ['hush-'],
  reads: { effect: 'allow', catalog: 'lake', schema: 's1', table: 'audit', verb: 'RO' },
};
