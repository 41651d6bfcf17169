import { columnsOf, type InScope, type Maker } from './maker';
import type { Policies } from './policies';
import { queryOf } from './queries';
import { type Column, literal, type Table, TYPES } from './world';

/** A statement that changes rows. */
export interface Write {
  sql: string;
  /** The table that it changes; null: it makes one, called `made`. */
  target: Table | null;
  /** The columns that it writes, as they are written. */
  written: string[];
}

export function writeOf(maker: Maker, tables: readonly Table[], { shown }: Policies): Write {
  const { choices } = maker;
  const target = choices.of(tables);
  const policies = shown.get(target.name);
  // A column that is masked or denied can neither decide nor be written from, but now and then.
  const hidden = (one: Column): boolean =>
    policies?.masks.has(one.name) === true || policies?.denied.has(one.name) === true;
  const open = target.columns.filter((one) => !hidden(one) || choices.chance(3));
  const name = choices.of([target.name, `lake.main.${target.name}`]);
  const alias = choices.chance(40) ? maker.alias('g') : null;
  const as = alias ? `${name} AS ${alias}` : name;
  const scope = columnsOf({ columns: open }, alias ?? target.name);
  const where = choices.chance(70) ? ` WHERE ${maker.condition(scope, 2)}` : '';
  const ids = (): string => {
    const from = choices.of(maker.relations.filter(({ columns }) => columns.some((one) => one.name === 'id')));
    return `(SELECT DISTINCT id AS k FROM ${maker.spelled(from)})`;
  };
  const joined = `${alias ?? target.name}.id = x.k${where.replace(' WHERE ', ' AND ')}`;
  const [sets, written] = setsOf(maker, open, scope, target.columns);
  switch (choices.below(9)) {
    case 0:
    case 1:
      return { sql: `UPDATE ${as} SET ${sets}${where}`, target, written };
    case 2:
      return { sql: `UPDATE ${as} SET ${sets} FROM ${ids()} AS x WHERE ${joined}`, target, written };
    case 3:
      return { sql: `DELETE FROM ${as}${where}`, target, written: [] };
    case 4:
      return { sql: `DELETE FROM ${as} USING ${ids()} AS x WHERE ${joined}`, target, written: [] };
    case 5:
      return { sql: `WITH w AS (FROM ${ids()}) DELETE FROM ${as} USING w AS x WHERE ${joined}`, target, written: [] };
    case 6: {
      const query = queryOf(maker, 1);
      return { sql: `CREATE TABLE made AS ${query.sql}`, target: null, written: [] };
    }
    default:
      return insertOf(maker, target, name);
  }
}

function setsOf(
  maker: Maker,
  open: readonly Column[],
  scope: readonly InScope[],
  all: readonly Column[],
): [string, string[]] {
  const columns = maker.choices.some(all, 1, 2);
  const sets = columns.map(({ name, type }) => `${name} = ${maker.scalar(type, scope, open.length > 0 ? 2 : 0)}`);
  return [sets.join(', '), columns.map(({ name }) => name)];
}

function insertOf(maker: Maker, target: Table, name: string): Write {
  const { choices } = maker;
  const columns = choices.some(target.columns, 1, target.columns.length);
  const list = columns.map((one) => one.name).join(', ');
  const written = target.columns.map((one) => one.name);
  if (choices.chance(50)) {
    const row = (): string => `(${columns.map(({ type }) => literal(type, choices)).join(', ')})`;
    return {
      sql: `INSERT INTO ${name} (${list}) VALUES ${choices.of([row(), `${row()}, ${row()}`])}`,
      target,
      written,
    };
  }
  const from = choices.of(maker.relations);
  const scope = columnsOf(from, 'x');
  const values = columns.map(({ type }) => `${maker.scalar(type, scope, 1)}::${TYPES[type]}`).join(', ');
  const where = choices.chance(50) ? ` WHERE ${maker.condition(scope, 1)}` : '';
  return {
    sql: `INSERT INTO ${name} (${list}) SELECT ${values} FROM ${maker.spelled(from)} AS x${where}`,
    target,
    written,
  };
}
