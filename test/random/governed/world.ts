import { Choices } from './choices';

export type Type = 'int' | 'dec' | 'text' | 'date' | 'struct' | 'list' | 'bool';

export const TYPES: Readonly<Record<Type, string>> = {
  int: 'INTEGER',
  dec: 'DECIMAL(9,2)',
  text: 'VARCHAR',
  date: 'DATE',
  struct: 'STRUCT(k INTEGER, w VARCHAR)',
  list: 'INTEGER[]',
  bool: 'BOOLEAN',
};

export interface Column {
  /** As it is written: quoted where it has to be. */
  name: string;
  type: Type;
}

export interface Table {
  name: string;
  columns: Column[];
  /** Literals. */
  rows: string[][];
}

export interface View {
  name: string;
  columns: Column[];
  /** `CREATE VIEW …`. */
  sql: string;
}

export interface World {
  tables: Table[];
  views: View[];
}

const TABLE_NAMES = ['t', 'orders', '"Odd Table"', '"values"'];
const PALETTE: readonly Column[] = [
  { name: 'n', type: 'int' },
  { name: 'm', type: 'dec' },
  { name: 'txt', type: 'text' },
  { name: 'd', type: 'date' },
  { name: 'st', type: 'struct' },
  { name: 'l', type: 'list' },
  { name: 'b', type: 'bool' },
  { name: '"Odd Col"', type: 'text' },
  { name: '"select"', type: 'int' },
];

const TEXTS = ['a', 'b', 'una', '', "it''s", '12', 'Zoë'].map((one) => `'${one}'`);

/** A literal, or NULL. */
export function literal(type: Type, choices: Choices): string {
  if (choices.chance(12)) return `NULL::${TYPES[type]}`;
  switch (type) {
    case 'int':
      return choices.of(['1', '0', '2', '3', '4', '5', '-1', '7710']);
    case 'dec':
      return choices.of(['1.5', '0', '2.25', '10', '-3.75']);
    case 'text':
      return choices.of(TEXTS);
    case 'date':
      return choices.of(["DATE '2020-01-01'", "DATE '2021-05-17'", "DATE '1999-12-31'"]);
    case 'struct':
      return choices.of(["{'k': 1, 'w': 'a'}", "{'k': 2, 'w': 'una'}", "{'k': NULL, 'w': 'b'}"]);
    case 'list':
      return choices.of(['[1, 2]', '[3]', '[NULL, 1]']);
    case 'bool':
      return choices.of(['true', 'false']);
  }
}

/** A database of two to four tables, of which no policy is known yet. */
export function tablesOf(choices: Choices): Table[] {
  return TABLE_NAMES.slice(0, 2 + choices.below(3)).map((name) => {
    const columns: Column[] = [{ name: 'id', type: 'int' }, ...choices.some(PALETTE, 2, 6)];
    const rows: string[][] = [];
    for (let i = 3 + choices.below(8); i > 0; i--) {
      const last = rows[rows.length - 1];
      const fresh = columns.map(({ type }, at) => (at === 0 ? String(1 + choices.below(9)) : literal(type, choices)));
      rows.push(last && choices.chance(20) ? last : fresh);
    }
    return { name, columns, rows };
  });
}

/** Columns by which views read a table: none that is denied, for a view that names one shows nothing at all. */
export type Readable = (table: Table) => Column[];

/** Views over tables and views, up to three deep. */
export function viewsOf(tables: readonly Table[], readable: Readable, choices: Choices): View[] {
  const bases = tables.map((table) => ({ name: table.name, columns: readable(table) }));
  const views: View[] = [];
  const count = choices.below(4);
  for (let i = 0; i < count; i++) {
    const base = choices.of([...views.slice(-1), ...bases]);
    const other = choices.of(bases);
    const from = choices.of([base.name, `lake.main.${base.name}`]);
    const list = base.columns.map(({ name }) => name).join(', ');
    const name = choices.of([`v${i}`, `"View ${i}"`]);
    const put = (columns: Column[], query: string, names = ''): void => {
      views.push({ name, columns, sql: `CREATE VIEW ${name}${names} AS ${query}` });
    };
    switch (choices.below(6)) {
      case 0:
        put(base.columns, `SELECT ${list} FROM ${from}`);
        break;
      case 1:
        put(base.columns, `SELECT ${list} FROM ${from} WHERE id < 7`);
        break;
      case 2: {
        const columns = base.columns.map(({ type }, at) => ({ name: at === 0 ? 'id' : `c${at}`, type }));
        put(columns, `SELECT ${list} FROM ${from}`, `(${columns.map((one) => one.name).join(', ')})`);
        break;
      }
      case 3:
        put(
          [...base.columns, { name: 'matches', type: 'int' }],
          `SELECT ${list}, (SELECT count(*)::INTEGER FROM ${other.name} o WHERE o.id = b.id) AS matches FROM ${from} b`,
        );
        break;
      case 4:
        put(
          base.columns,
          `WITH x AS (SELECT ${list} FROM ${from}) SELECT * FROM x UNION ALL SELECT * FROM x WHERE id > 3`,
        );
        break;
      default:
        put(
          [
            { name: 'id', type: 'int' },
            { name: 'many', type: 'int' },
          ],
          `SELECT id, count(*)::INTEGER AS many FROM ${from} GROUP BY id`,
        );
    }
  }
  return views;
}

/** The statements that make a database of tables with these rows. */
export function tableSql({ name, columns, rows }: Table): string {
  const list = columns.map((one) => `${one.name} ${TYPES[one.type]}`).join(', ');
  const values =
    rows.length > 0 ? `INSERT INTO ${name} VALUES ${rows.map((row) => `(${row.join(', ')})`).join(', ')};` : '';
  return `CREATE TABLE ${name}(${list}); ${values}`;
}

/** A name as a policy, or a listing, has it. */
export function bare(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1) : name;
}
