import { columnsOf, type InScope, type Maker, type Named } from './maker';
import { queryOf } from './queries';
import { bare, type Table } from './world';

/** What fails on some values. */
function risk(maker: Maker, scope: readonly InScope[]): string {
  const one = (type: Parameters<Maker['scalar']>[0]): string => maker.scalar(type, scope, maker.choices.below(2));
  // The engine takes this one for a function that never fails, and moves it as far down as it can.
  if (maker.choices.chance(30)) return `chr(${one('int')})`;
  return maker.choices.of([
    () => `CAST(${one('text')} AS INTEGER)`,
    () => `CAST(${one('text')} AS DATE)`,
    () => `CAST(${one('int')} AS TINYINT)`,
    () => `CAST(${one('int')} AS UTINYINT)`,
    () => `(${one('int')} * 2000)`,
    () => `(${one('int')} + 2147480000)`,
    () => `sqrt(${one('int')})`,
    () => `ln(${one('int')})`,
    () => `CAST(${one('dec')} AS DECIMAL(3, 1))`,
    () => `make_date(2020, ${one('int')}, 1)`,
    () => `strptime(${one('text')}, '%Y')`,
    () => `(${one('date')} + ${one('int')})`,
    () => `acos(${one('int')})`,
    () => `factorial(${one('int')})`,
    () => `json_extract(${one('text')}, '$.a')`,
    () => `(- ${one('int')})`,
    () => `abs(${one('int')})`,
    () => `(${one('int')} // ${one('int')})`,
    () => `(${one('list')})[${one('int')}]`,
  ])();
}

/** A statement that may fail, and must not do so by what is hidden. */
export function hostileOf(maker: Maker, tables: readonly Table[]): string {
  const { choices } = maker;
  const relation = choices.of(maker.relations);
  const other = choices.of(maker.relations);
  const [a, b] = [columnsOf(relation, 'a'), columnsOf(other, 'b')];
  const [from, join] = [`${maker.spelled(relation)} AS a`, `${maker.spelled(other)} AS b`];
  const r = risk(maker, a);
  const where = choices.chance(50) ? ` WHERE ${maker.condition(a, 1)}` : '';
  const and = choices.of(['', ` AND ${maker.condition(a, 1)}`, ` OR ${maker.condition(a, 1)}`]);
  const target = choices.of(tables);
  const own = columnsOf({ columns: target.columns }, target.name);
  const key = (of: Named): string => of.columns.find(({ type }) => type === 'int')?.name ?? 'id';
  if (choices.chance(30)) return `SELECT count(*) FROM ${from} WHERE ${r} IS NOT NULL${and}`;
  return choices.of([
    () => `SELECT ${r} FROM ${from}${where}`,
    () => `SELECT count(*) FROM ${from} JOIN ${join} ON ${maker.equal(a, b)} AND ${r} IS NOT NULL`,
    () => `SELECT count(*) FROM ${from} JOIN ${join} ON ${r} IS NOT DISTINCT FROM ${risk(maker, b)}`,
    () =>
      `SELECT count(*), count(b.${key(other)}) FROM ${from} ${choices.of(['LEFT', 'RIGHT', 'FULL', 'SEMI'])} JOIN ${join} ON ${r} IS NULL`.replace(
        /, count\(b\.[^)]*\)(?=.* SEMI JOIN)/,
        '',
      ),
    () => `SELECT ${r} AS k, count(*) FROM ${from}${where} GROUP BY k HAVING ${risk(maker, [])} IS NOT NULL`,
    () => `SELECT k FROM (SELECT ${r} AS k, a.${key(relation)} AS i FROM ${from}) WHERE k IS NOT NULL AND i > 1`,
    () =>
      `WITH x AS ${choices.of(['', 'MATERIALIZED ', 'NOT MATERIALIZED '])}(SELECT ${r} AS k FROM ${from}) SELECT count(*) FROM x WHERE k IS NOT NULL`,
    () =>
      `SELECT count(*) FROM ${from} WHERE EXISTS (SELECT 1 FROM ${join} WHERE ${maker.equal(a, b)} AND ${risk(maker, [...a, ...b])} IS NOT NULL)`,
    () => `SELECT (SELECT max(${risk(maker, [...a, ...b])}) FROM ${join} WHERE ${maker.equal(a, b)}) FROM ${from}`,
    () =>
      `SELECT count(*) FROM ${from}, LATERAL (SELECT ${r} AS k FROM ${join} WHERE ${maker.equal(a, b)}) x WHERE x.k IS NOT NULL`,
    () => `SELECT max(${r}) FILTER (${maker.condition(a, 1)}) FROM ${from}`,
    () => `SELECT a.${key(relation)} FROM ${from} ORDER BY ${r}, 1 LIMIT 2`,
    () => `SELECT a.${key(relation)} FROM ${from} QUALIFY rank() OVER (ORDER BY ${r}) = 1`,
    () => `SELECT DISTINCT ${r} FROM ${from}${where}`,
    () => `SELECT CASE WHEN ${maker.condition(a, 1)} THEN ${r} END FROM ${from} WHERE ${risk(maker, a)} IS NOT NULL`,
    () => `SELECT ${r} AS k FROM ${from} EXCEPT SELECT ${r} FROM ${from}${where}`,
    () => `SELECT (SELECT b.${key(other)} FROM ${join}) FROM ${from}`,
    () => `SELECT a.${key(relation)} FROM ${from} ORDER BY ALL LIMIT (SELECT count(*) FROM ${join})`,
    () => `UPDATE ${target.name} SET id = id WHERE ${risk(maker, own)} IS NOT NULL`,
    () =>
      `UPDATE ${target.name} SET id = ${choices.of(['id + 2147483000', 'id', '3', 'abs(id)'])}${choices.of(['', ' WHERE id > 2'])}`,
    () => `DELETE FROM ${target.name} WHERE ${risk(maker, own)} IS NOT NULL${choices.of(['', ' AND id > 2'])}`,
    () => `DELETE FROM ${target.name} USING ${join} WHERE ${target.name}.id = b.${key(other)}`,
    () => `INSERT INTO ${target.name} (id) SELECT a.${key(relation)} FROM ${from}`,
    () => `EXPLAIN ${queryOf(maker, 2).sql}`,
    () => `EXPLAIN SELECT count(*) FROM ${from} WHERE ${r} IS NOT NULL${and}`,
    () => `EXPLAIN DELETE FROM ${target.name} WHERE id > 2`,
    () => `SUMMARIZE ${relation.name}`,
    () => `DESCRIBE ${relation.name}`,
    () => 'SHOW ALL TABLES',
    () => `PRAGMA table_info('${bare(relation.name)}')`,
    () =>
      `SELECT * FROM ${choices.of(['duckdb_tables()', 'duckdb_columns()', 'duckdb_views()', 'information_schema.tables', 'information_schema.columns'])} ORDER BY ALL`,
    () => queryOf(maker, 3).sql,
    () => queryOf(maker, 3).sql,
  ])();
}
