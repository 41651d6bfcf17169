import { type TestPipeline, startPipeline } from '../../support/pipeline';
import { Choices } from './choices';
import { Maker, type Named, relationsOf } from './maker';
import { policiesOf, type Policies, type Shown } from './policies';
import { readableOf } from './two-worlds';
import { type Column, literal, type Table, tableSql, tablesOf, type Type, TYPES, viewsOf } from './world';

/** Two databases under the same policies, which differ in nothing but what these hide. */
export interface Twins {
  tables: Table[];
  policies: Policies;
  relations: Named[];
  sides: [TestPipeline, TestPipeline];
  views: string[];
  /** What is in the tables of each side, for the report of a failure. */
  seeds: [string, string];
  close(): Promise<void>;
}

/** Values on which something fails that does not on those of `literal`. */
const EXTREME: Readonly<Record<Type, readonly string[]>> = {
  int: ['2147483647', '-2147483648', '-771011', '0', '1114112'],
  dec: ['9999999.99', '-9999999.99', '0'],
  text: ["'zz-hidden'", "''", "'9999999999'", "'1999-99-99'", "repeat('zz', 500)"],
  date: ["DATE '290000-01-01'", "DATE '0001-01-01'", "'infinity'::DATE"],
  struct: ["{'k': -2147483648, 'w': 'zz-hidden'}", 'NULL::STRUCT(k INTEGER, w VARCHAR)'],
  list: ['[]::INTEGER[]', '[2147483647, 771012]'],
  bool: ['NULL::BOOLEAN', 'true'],
};

export async function openTwins(choices: Choices): Promise<Twins> {
  const tables = tablesOf(choices);
  const policies = policiesOf(tables, choices);
  const readable = readableOf(policies);
  const views = viewsOf(tables, readable, choices);
  const viewSql = views.map(({ sql }) => `${sql};`).join('\n');
  const side = (): string =>
    tables.map((one, i) => twinSql(one, policies.shown.get(one.name) as Shown, `s${i}`, choices)).join('\n');
  const seeds: [string, string] = [side(), side()];
  const sides: [TestPipeline, TestPipeline] = [
    await startPipeline(`${seeds[0]} ${viewSql}`),
    await startPipeline(`${seeds[1]} ${viewSql}`),
  ];
  const relations = relationsOf({ tables, views }, readable);
  const close = async (): Promise<void> => {
    for (const one of sides) await one.close();
  };
  return { tables, policies, relations, sides, views: views.map(({ sql }) => sql), seeds, close };
}

export function makerOfTwins({ relations }: Twins, numbers: readonly number[]): Maker {
  return new Maker(new Choices(numbers), relations);
}

/** A table with its admitted rows, as far as they are shown, and whatever else: hidden rows before, between and behind them. */
function twinSql(table: Table, shown: Shown, source: string, choices: Choices): string {
  const { name, columns } = table;
  const filters = shown.filters?.map((one) => `(${one})`).join(' OR ');
  const hidden = filters
    ? Array.from({ length: choices.below(12) }, () => columns.map((one) => wild(one, choices)))
    : [];
  const candidates = tableSql({ ...table, name: source, rows: hidden });
  const more = filters ? `INSERT INTO ${name} SELECT * FROM ${source} WHERE (${filters}) IS NOT TRUE;` : '';
  const half = Math.floor(table.rows.length / 2);
  const rows = table.rows.map((row) => row.map((value, i) => unseen(columns[i] as Column, value, shown, choices)));
  const admitted = (part: string[][]): string => {
    if (part.length === 0) return '';
    const values = `(VALUES ${part.map((row) => `(${row.join(', ')})`).join(', ')}) v(${columns.map((one) => one.name).join(', ')})`;
    const list = columns.map((one) => `${one.name}::${TYPES[one.type]}`).join(', ');
    return `INSERT INTO ${name} SELECT ${list} FROM ${values} ${filters ? `WHERE ${filters}` : ''};`;
  };
  const empty = tableSql({ ...table, rows: [] });
  return `${candidates} ${empty} ${more} ${admitted(rows.slice(0, half))} ${more} ${admitted(rows.slice(half))} DROP TABLE ${source};`;
}

function wild({ type }: Column, choices: Choices): string {
  return choices.chance(50) ? choices.of(EXTREME[type]) : literal(type, choices);
}

/** A value of an admitted row: another one where its column is denied, or masked by what does not depend on it. */
function unseen(column: Column, value: string, { masks, denied, filters }: Shown, choices: Choices): string {
  const decides = filters?.some((one) => one.includes(column.name)) ?? false;
  const mask = masks.get(column.name);
  const told = !denied.has(column.name) && (mask === undefined || mask.includes(column.name));
  return decides || told ? value : wild(column, choices);
}
