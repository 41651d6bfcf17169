import { quoteLiteral } from '@gadwall/rewriters';
import { MISSING, MOOD, type Name, type Need, type Relation, RELATIONS } from './catalog';
import type { Body, Common, Condition, Query, Source, Spelling } from './query';

/** A statement as it is written down: its text grows with what it needs. */
export interface Page {
  readonly needs: Need[];
  /** What the text names, as all that it could mean. */
  readonly named: Name[];
  /** Relations that the text names. */
  readonly relations: Relation[];
  /** What is read in common table expressions, and elsewhere. */
  readonly common: Name[];
  readonly elsewhere: Name[];
  /** A name that nothing has is in it. */
  missing: boolean;
  aliases: number;
}

/** Where something is written. */
export interface Place {
  /** Names of common table expressions in scope, folded. */
  readonly scope: ReadonlySet<string>;
  /** The statement is a query: `query('…')` may stand in it. */
  readonly queries: boolean;
  /** It is in a common table expression. */
  readonly common: boolean;
}

export function newPage(): Page {
  return { needs: [], named: [], relations: [], common: [], elsewhere: [], missing: false, aliases: 0 };
}

export function queryText(query: Query, page: Page, place: Place): string {
  let { scope } = place;
  const items: string[] = [];
  const own = new Set<string>();
  for (const common of query.common) {
    const name = nameOf(common, page);
    if (own.has(name)) continue;
    own.add(name);
    items.push(commonText(name, common, page, { ...place, scope, common: true }));
    scope = new Set([...scope, name]);
  }
  const recursive = query.common.some(({ form }) => form === 'recursive') ? 'RECURSIVE ' : '';
  const body = bodyText(query.body, page, { ...place, scope });
  return items.length > 0 ? `WITH ${recursive}${items.join(', ')} ${body}` : body;
}

/** One that shadows has the name of a relation, which then means the expression wherever it is written bare. */
function nameOf({ shadows }: Common, page: Page): string {
  return shadows === null ? `c${page.aliases++}` : at(RELATIONS, shadows).name;
}

function commonText(name: string, { query, form }: Common, page: Page, place: Place): string {
  const body = queryText(query, page, place);
  switch (form) {
    case 'plain':
      return `${name} AS (${body})`;
    case 'materialized':
      return `${name} AS MATERIALIZED (${body})`;
    case 'recursive':
      return `${name} AS (SELECT id, ref, note FROM (${body}) b UNION ALL SELECT r.id, r.ref, r.note FROM ${name} r WHERE r.id < 0)`;
  }
}

function bodyText(body: Body, page: Page, place: Place): string {
  switch (body.kind) {
    case 'set':
      return `(${queryText(body.left, page, place)}) ${body.op} (${queryText(body.right, page, place)})`;
    case 'table':
      return body.source.kind === 'relation' || body.source.kind === 'common'
        ? `TABLE ${sourceText(body.source, page, place)}`
        : `FROM ${sourceText(body.source, page, place)}`;
    case 'select':
      return selectText(body, page, place);
  }
}

function selectText(body: Extract<Body, { kind: 'select' }>, page: Page, place: Place): string {
  const a = `a${page.aliases++}`;
  let from = `${sourceText(body.source, page, place)} AS ${a}`;
  for (const { how, source } of body.joins) from += joinText(how, source, a, page, place);
  const where = body.where ? ` WHERE ${conditionText(body.where, a, page, place)}` : '';
  const columns = `${a}.id, ${a}.ref, ${a}.note`;
  switch (body.shape) {
    case 'plain':
      return `SELECT ${columns} FROM ${from}${where}`;
    case 'star':
      return `SELECT ${a}.* FROM ${from}${where}`;
    case 'from':
      return `FROM ${from} SELECT ${columns}${where}`;
    case 'distinct':
      return `SELECT DISTINCT ON (${a}.id) ${columns} FROM ${from}${where}`;
    case 'grouped':
      return `SELECT max(${a}.id) AS id, ${a}.ref, min(${a}.note) AS note FROM ${from}${where} GROUP BY ${a}.ref`;
    case 'having':
      return `SELECT ${columns} FROM ${from}${where} GROUP BY ALL HAVING count(*) > 0`;
    case 'windowed':
      return `SELECT first_value(${a}.id) OVER w${a} AS id, ${a}.ref, ${a}.note FROM ${from}${where} WINDOW w${a} AS (PARTITION BY ${a}.ref ORDER BY ${a}.note)`;
    case 'qualified':
      return `SELECT ${columns} FROM ${from}${where} QUALIFY row_number() OVER (PARTITION BY ${a}.ref ORDER BY ${a}.id) = 1`;
    case 'ordered':
      return `SELECT ${columns} FROM ${from}${where} ORDER BY ${a}.id DESC, 2 LIMIT 10 OFFSET 1`;
  }
}

type How = Extract<Body, { kind: 'select' }>['joins'][number]['how'];

function joinText(how: How, source: Source, a: string, page: Page, place: Place): string {
  const b = `a${page.aliases++}`;
  const other = sourceText(source, page, place);
  switch (how) {
    case 'comma':
      // A cross product with what stands before: no alias of the list is lost.
      return ` CROSS JOIN (SELECT * FROM ${other} AS x, ${other} AS y) AS ${b}`;
    case 'cross':
      return ` CROSS JOIN ${other} AS ${b}`;
    case 'inner':
      return ` JOIN ${other} AS ${b} ON ${b}.id = ${a}.id`;
    case 'left':
      return ` LEFT OUTER JOIN ${other} AS ${b} ON ${b}.id = ${a}.id`;
    case 'full':
      return ` FULL JOIN ${other} AS ${b} ON ${b}.id = ${a}.id`;
    case 'semi':
      return ` SEMI JOIN ${other} AS ${b} ON ${b}.id = ${a}.id`;
    case 'anti':
      return ` ANTI JOIN ${other} AS ${b} ON ${b}.id = ${a}.id`;
    case 'using':
      return ` JOIN (SELECT id AS u${b} FROM ${other} AS x) AS ${b} ON u${b} = ${a}.id`;
    case 'asof':
      return ` ASOF JOIN ${other} AS ${b} ON ${a}.id >= ${b}.id`;
    case 'positional':
      return ` POSITIONAL JOIN ${other} AS ${b}`;
    case 'lateral':
      return ` CROSS JOIN LATERAL (SELECT l.id FROM ${other} AS l WHERE l.ref = ${a}.id) AS ${b}`;
  }
}

function sourceText(source: Source, page: Page, place: Place): string {
  switch (source.kind) {
    case 'relation':
      return relationText(at(RELATIONS, source.pick), source.spelling, page, place);
    case 'common':
      return place.scope.size > 0
        ? at([...place.scope], source.pick)
        : relationText(at(RELATIONS, source.pick), { parts: 1, letters: 'as-is' }, page, place);
    case 'missing':
      return missingText(at(MISSING, source.pick), page);
    case 'values':
      return "(SELECT * FROM (VALUES (1, 2, 'x'), (3, 4, 'y')) v(id, ref, note))";
    case 'range':
      return "(SELECT range::INT AS id, 1 AS ref, 'r' AS note FROM range(3))";
    case 'subquery':
      return `(${queryText(source.query, page, place)})`;
    case 'text':
      return place.queries
        ? `query(${quoteLiteral(queryText(source.query, page, { ...place, scope: new Set() }))})`
        : `(${queryText(source.query, page, place)})`;
    case 'table-text': {
      const relation = at(RELATIONS, source.pick);
      const text = relationText(relation, { parts: 3, letters: 'as-is' }, page, place);
      return place.queries ? `query_table(${quoteLiteral(text)})` : text;
    }
  }
}

function missingText(name: Name, page: Page): string {
  page.needs.push({ ...name, access: 'Read' });
  page.named.push(name);
  page.missing = true;
  return `${name.catalog}.${name.schema}.${name.name}`;
}

function relationText(relation: Relation, spelling: Spelling, page: Page, place: Place): string {
  const parts = spelledParts(relation, spelling);
  if (parts.length === 1 && place.scope.has(relation.name)) return parts.join('.');
  page.relations.push(relation);
  page.named.push(...meanings(relation, parts.length));
  (place.common ? page.common : page.elsewhere).push(...relation.bases);
  for (const base of relation.bases) page.needs.push({ ...base, access: 'Read' });
  return parts.join('.');
}

/** A name in a spelling that means it in a session whose defaults are lake and main. */
export function spelledParts({ catalog, schema, name }: Name, { parts, letters }: Spelling): string[] {
  const fewest = catalog !== 'lake' ? 3 : schema !== 'main' ? 2 : 1;
  const all = [catalog, schema, name].slice(3 - Math.max(parts, fewest));
  if (letters === 'upper') return all.map((part) => part.toUpperCase());
  return letters === 'quoted' ? all.map((part) => `"${part}"`) : all;
}

/** Of two parts the first one may be a catalog. */
export function meanings(name: Name, parts: number): Name[] {
  const own = { catalog: name.catalog, schema: name.schema, name: name.name };
  return parts === 2 ? [own, { catalog: name.schema, schema: 'main', name: name.name }] : [own];
}

function conditionText(condition: Condition, a: string, page: Page, place: Place): string {
  switch (condition.kind) {
    case 'plain':
      return `${a}.id > 0`;
    case 'type':
      return typeText(condition.qualified, a, page);
    case 'both':
      return `(${conditionText(condition.left, a, page, place)} OR ${conditionText(condition.right, a, page, place)})`;
    default:
      return testText(condition, a, page, place);
  }
}

function typeText(qualified: boolean, a: string, page: Page): string {
  page.needs.push({ ...MOOD, access: 'Read' });
  page.named.push(MOOD);
  return `(TRY_CAST(${a}.note AS ${qualified ? 'lake.main.mood' : 'mood'}) IS NULL)`;
}

function testText(test: Extract<Condition, { query: Query }>, a: string, page: Page, place: Place): string {
  const q = `a${page.aliases++}`;
  const from = `FROM (${queryText(test.query, page, place)}) AS ${q}`;
  const not = test.not ? 'NOT ' : '';
  switch (test.kind) {
    case 'exists':
      return `${not}EXISTS (SELECT 1 ${from})`;
    case 'in':
      return `${a}.id ${not}IN (SELECT ${q}.ref ${from})`;
    case 'scalar':
      return `${not}(${a}.id > (SELECT max(${q}.ref) ${from}))`;
    case 'correlated':
      return `${not}EXISTS (SELECT 1 ${from} WHERE ${q}.id = ${a}.id AND ${q}.note = ${a}.note)`;
    case 'any':
      return `${not}(${a}.ref = ANY (SELECT ${q}.id ${from}))`;
    case 'array':
      return `${not}(len(ARRAY(SELECT ${q}.note ${from})) > 0)`;
  }
}

export function at<T>(list: readonly T[], pick: number): T {
  return list[pick % list.length] as T;
}
