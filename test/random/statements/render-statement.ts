import {
  MOOD,
  type Name,
  type Need,
  READ_ONLY_CATALOG,
  type Relation,
  sameName,
  SEQUENCE,
  TABLES,
  VIEWS,
} from './catalog';
import { at, meanings, newPage, type Page, type Place, queryText, spelledParts } from './render-query';
import type { Statement } from './statement';

/** A statement with what it was made of. */
export interface Generated {
  sql: string;
  form: string;
  needs: readonly Need[];
  /** Names in its text, as all that they could mean. */
  named: readonly Name[];
  relations: readonly Relation[];
  /** What it reads in common table expressions, and nowhere else. */
  common: readonly Name[];
  /** It names something that there is not: with all grants the engine says so. */
  missing: boolean;
  /** It would change a catalog in which nothing can be changed. */
  changesReadOnly: boolean;
}

export function generated(statement: Statement): Generated {
  const page = newPage();
  const sql = textOf(statement, page);
  const { needs, named, relations, missing } = page;
  const common = page.common.filter((one) => !page.elsewhere.some((other) => sameName(one, other)));
  const changesReadOnly = needs.some(({ catalog, access }) => access !== 'Read' && catalog === READ_ONLY_CATALOG);
  const form = statement.kind === 'query' ? 'query' : statement.form;
  return { sql, form, needs, named, relations, common, missing, changesReadOnly };
}

function textOf(statement: Statement, page: Page): string {
  switch (statement.kind) {
    case 'query':
      return `${statement.explain ? 'EXPLAIN ' : ''}${queryText(statement.query, page, QUERY)}`;
    case 'write':
      return `${statement.explain ? 'EXPLAIN ' : ''}${writeText(statement, page)}`;
    case 'scheme':
      return schemeText(statement, page);
  }
}

const QUERY: Place = { scope: new Set(), queries: true, common: false };
const OTHER: Place = { scope: new Set(), queries: false, common: false };

type Write = Extract<Statement, { kind: 'write' }>;

function writeText({ form, pick, spelling, query, returning }: Write, page: Page): string {
  const table = at(TABLES, pick);
  const target = spelledParts(table, spelling);
  const name = target.join('.');
  page.named.push(...meanings(table, target.length));
  page.needs.push({ ...table, access: 'Write' });
  const reads = () => page.needs.push({ ...table, access: 'Read' });
  const rows = () => queryText(query, page, OTHER);
  const gives = returning && !['truncate', 'merge'].includes(form);
  if (gives) reads();
  const end = gives ? ' RETURNING note' : '';
  switch (form) {
    case 'insert':
      return `INSERT INTO ${name} SELECT q.id, q.ref, q.note FROM (${rows()}) q${end}`;
    case 'insert-values':
      return `INSERT INTO ${name}(ref, note) VALUES (1, (SELECT max(q.note) FROM (${rows()}) q))${end}`;
    case 'insert-with':
      return `WITH w AS (${rows()}) INSERT INTO ${name}(note) SELECT w.note FROM w${end}`;
    case 'update':
      return `UPDATE ${name} SET note = 'x'${end}`;
    case 'update-where':
      reads();
      return `UPDATE ${name} SET note = (SELECT max(q.note) FROM (${rows()}) q) WHERE id = 1${end}`;
    case 'update-from':
      reads();
      return `UPDATE ${name} AS t SET note = q.note FROM (${rows()}) q WHERE q.id = t.id${gives ? ' RETURNING t.note' : ''}`;
    case 'delete':
      return `DELETE FROM ${name}${end}`;
    case 'delete-where':
      reads();
      return `DELETE FROM ${name} WHERE id IN (SELECT q.ref FROM (${rows()}) q)${end}`;
    case 'delete-using':
      reads();
      return `DELETE FROM ${name} AS t USING (${rows()}) q WHERE q.id = t.id${gives ? ' RETURNING t.note' : ''}`;
    case 'truncate':
      return `TRUNCATE ${name}`;
    case 'merge':
      reads();
      return `MERGE INTO ${name} AS t USING (${rows()}) AS q ON q.id = t.id
        WHEN MATCHED THEN UPDATE SET note = q.note WHEN NOT MATCHED THEN INSERT (id, note) VALUES (q.id, q.note)`;
  }
}

type Scheme = Extract<Statement, { kind: 'scheme' }>;

function schemeText({ form, pick, spelling, query }: Scheme, page: Page): string {
  const table = at(TABLES, pick);
  const rows = () => queryText(query, page, OTHER);
  /** A name, with the accesses that it needs. */
  const name = (object: Name, ...accesses: Need['access'][]): string => {
    const { catalog, schema, name } = object;
    const parts = spelledParts(object, spelling);
    page.named.push(...meanings(object, parts.length));
    page.needs.push(...accesses.map((access) => ({ catalog, schema, name, access })));
    return parts.join('.');
  };
  const fresh = { ...table, name: 'fresh' };
  switch (form) {
    case 'create-table':
      return `CREATE TABLE ${name(fresh, 'Ddl')}(id INT PRIMARY KEY, note VARCHAR DEFAULT 'x')`;
    case 'create-or-replace-table':
      return `CREATE OR REPLACE TABLE ${name(table, 'Ddl')} AS ${rows()}`;
    case 'create-table-as':
      return `CREATE TABLE ${name(fresh, 'Ddl')} AS ${rows()}`;
    case 'create-temporary-table-as':
      return `CREATE TEMP TABLE own AS ${rows()}`;
    case 'create-table-of-type':
      page.needs.push({ ...MOOD, access: 'Read' });
      page.named.push(MOOD);
      return `CREATE TABLE ${name({ ...fresh, catalog: 'lake', schema: 'main' }, 'Ddl')}(id INT, m mood)`;
    case 'create-view':
      return `CREATE VIEW ${name(fresh, 'Ddl')} AS ${rows()}`;
    case 'create-or-replace-view':
      return `CREATE OR REPLACE VIEW ${name(at(VIEWS, pick), 'Ddl')} AS ${rows()}`;
    case 'create-sequence':
      return `CREATE SEQUENCE ${name(fresh, 'Ddl')} START 5`;
    case 'create-type':
      return `CREATE TYPE ${name(fresh, 'Ddl')} AS ENUM ('a', 'b')`;
    case 'create-index':
      return `CREATE INDEX by_ref ON ${name(table, 'Ddl', 'Read')}(ref)`;
    case 'create-schema':
      return schemaText('CREATE SCHEMA', { ...table, schema: 'fresh' }, page);
    case 'drop-table':
      return `DROP TABLE ${name(table, 'Ddl')}`;
    case 'drop-view':
      return `DROP VIEW IF EXISTS ${name(at(VIEWS, pick), 'Ddl')}`;
    case 'drop-sequence':
      return `DROP SEQUENCE ${name(SEQUENCE, 'Ddl')}`;
    case 'drop-type':
      return `DROP TYPE ${name(MOOD, 'Ddl')}`;
    case 'drop-schema':
      return `${schemaText('DROP SCHEMA', table, page)} CASCADE`;
    case 'drop-missing':
      return `DROP TABLE IF EXISTS ${name(fresh, 'Ddl')}`;
    case 'add-column':
      return `ALTER TABLE ${name(table, 'Ddl')} ADD COLUMN more INT`;
    case 'add-column-with-default':
      return `ALTER TABLE ${name(table, 'Ddl', 'Write')} ADD COLUMN more INT DEFAULT 3`;
    case 'rename-column':
      return `ALTER TABLE ${name(table, 'Ddl')} RENAME ref TO reference`;
    case 'rename-table':
      page.needs.push({ ...fresh, access: 'Ddl' });
      page.named.push(fresh);
      return `ALTER TABLE ${name(table, 'Ddl', 'Read')} RENAME TO fresh`;
    case 'change-type':
      return `ALTER TABLE ${name(table, 'Ddl', 'Read', 'Write')} ALTER ref TYPE BIGINT`;
    case 'set-not-null':
      return `ALTER TABLE ${name(table, 'Ddl', 'Read')} ALTER note SET NOT NULL`;
    case 'set-default':
      return `ALTER TABLE ${name(table, 'Ddl')} ALTER ref SET DEFAULT 7`;
    case 'comment':
      return `COMMENT ON TABLE ${name(table, 'Ddl')} IS 'x'`;
  }
}

/** A schema is made and dropped by who is granted all of it. */
function schemaText(verb: string, { catalog, schema }: Name, page: Page): string {
  page.needs.push({ catalog, schema, name: '*', access: 'Ddl' });
  page.named.push({ catalog, schema, name: '*' });
  return `${verb} ${catalog}.${schema}`;
}
