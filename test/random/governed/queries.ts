import { columnsOf, type InScope, type Made, Maker, type Named } from './maker';
import { type Column, type Type, TYPES } from './world';

const ALL_TYPES = Object.keys(TYPES) as Type[];

/** A query whose rows do not depend on the order in which the engine reads; of its columns each has a name of its own. */
export function queryOf(maker: Maker, depth: number, top = true): Made {
  return depth > 0 && maker.choices.chance(30) ? withCommon(maker, depth, top) : bodyOf(maker, depth, top);
}

function bodyOf(maker: Maker, depth: number, top: boolean): Made {
  const { choices } = maker;
  const form = choices.below(depth > 0 ? 21 : 12);
  if (form < 9) return select(maker, depth, top);
  if (form < 11) return grouped(maker, depth);
  if (form === 11) return windowed(maker, depth);
  if (form < 14) return setOperation(maker, depth);
  if (form === 14) return distinctOn(maker, depth);
  if (form === 15) return limited(maker, depth);
  if (form === 16) return pivoted(maker);
  if (form === 18) return unpivoted(maker);
  if (form === 17 && top) return failing(maker);
  return starred(maker, depth, top);
}

interface From {
  sql: string;
  scope: InScope[];
  /** The only relation in it. */
  single: { alias: string; columns: readonly Column[]; whole: boolean } | null;
}

function source(
  maker: Maker,
  depth: number,
): { sql: string; alias: string; columns: readonly Column[]; whole: boolean } {
  const { choices } = maker;
  const alias = maker.alias();
  const form = choices.below(depth > 0 ? 14 : 8);
  if (form === 8) {
    const rows = "(1, 'a'), (2, 'una'), (NULL, 'b')";
    const columns: Column[] = [
      { name: 'id', type: 'int' },
      { name: 'txt', type: 'text' },
    ];
    return { sql: `(VALUES ${rows}) AS ${alias}(id, txt)`, alias, columns, whole: true };
  }
  if (form > 10) {
    const inner = queryOf(maker, depth - 1, false);
    return { sql: `(${inner.sql}) AS ${alias}`, alias, columns: inner.columns, whole: true };
  }
  const relation = choices.of(maker.relations);
  const name = maker.spelled(relation);
  if (form === 9 && relation.whole) {
    const columns = relation.columns.map(({ type }, i) => ({ name: `r${i}`, type }));
    return { sql: `${name} AS ${alias}(${columns.map((one) => one.name).join(', ')})`, alias, columns, whole: true };
  }
  const sample = form === 10 && relation.kind === 'table' ? ' TABLESAMPLE 100%' : '';
  // A name that is another relation's is as good as any.
  const shadow = choices.chance(8) ? choices.of(maker.relations).name : alias;
  const as = choices.of([`AS ${shadow}`, shadow === alias ? shadow : `AS ${shadow}`]);
  return { sql: `${name} ${as}${sample}`, alias: shadow, columns: relation.columns, whole: relation.whole };
}

function from(maker: Maker, depth: number): From {
  const { choices } = maker;
  const first = source(maker, depth);
  const scope = columnsOf(first, first.alias);
  const { sql } = first;
  if (!choices.chance(45)) return { sql, scope, single: first };
  const other = source(maker, Math.max(depth - 1, 0));
  if (other.alias === first.alias) return { sql, scope, single: first };
  const theirs = columnsOf(other, other.alias);
  const both = [...scope, ...theirs];
  const shared = first.columns.filter((one) =>
    other.columns.some((two) => two.name === one.name && two.type === one.type),
  );
  const on = `${maker.equal(scope, theirs)}${choices.chance(30) ? ` AND ${maker.condition(both, 1)}` : ''}`;
  const key = shared[0]?.name;
  switch (choices.below(12)) {
    case 0:
      return { sql: `${sql} JOIN ${other.sql} ON ${on}`, scope: both, single: null };
    case 1:
    case 2:
      return {
        sql: `${sql} ${choices.of(['LEFT', 'RIGHT', 'FULL'])} JOIN ${other.sql} ON ${on}`,
        scope: both,
        single: null,
      };
    case 3:
      if (key === undefined) return { sql, scope, single: first };
      return {
        sql: `${sql} ${choices.of(['', 'LEFT ', 'FULL '])}JOIN ${other.sql} USING (${key})`,
        scope: both,
        single: null,
      };
    case 4:
      if (shared.length === 0 || !first.whole || !other.whole) return { sql, scope, single: first };
      return { sql: `${sql} NATURAL JOIN ${other.sql}`, scope: both, single: null };
    case 5:
    case 6:
      return { sql: `${sql} ${choices.of(['SEMI', 'ANTI'])} JOIN ${other.sql} ON ${on}`, scope, single: first };
    case 7: {
      // Of the other side one row has each key: which of several it takes is the engine's choice.
      const least = choices.of(theirs.filter((one) => one.type === 'int'))?.sql ?? '1';
      const mine = choices.of(scope.filter((one) => one.type === 'int'))?.sql ?? '1';
      const alias = maker.alias();
      return {
        sql: `${sql} ASOF ${choices.of(['', 'LEFT '])}JOIN (SELECT DISTINCT ${least} AS k FROM ${other.sql}) AS ${alias} ON ${mine} >= ${alias}.k`,
        scope: [...scope, { sql: `${alias}.k`, type: 'int' }],
        single: null,
      };
    }
    case 8: {
      const alias = maker.alias();
      const value = maker.scalar('int', both, 1);
      return {
        sql: `${sql}, LATERAL (SELECT ${value} AS k FROM ${other.sql} WHERE ${maker.equal(theirs, scope)}) AS ${alias}`,
        scope: [...scope, { sql: `${alias}.k`, type: 'int' }],
        single: null,
      };
    }
    case 9:
      return { sql: `${sql} CROSS JOIN ${other.sql}`, scope: both, single: null };
    default:
      return { sql: `${sql}, ${other.sql}`, scope: both, single: null };
  }
}

function where(maker: Maker, scope: readonly InScope[], depth: number): string {
  return maker.choices.chance(40) ? ` WHERE ${maker.condition(scope, depth)}` : '';
}

function select(maker: Maker, depth: number, top: boolean): Made {
  const { choices } = maker;
  const { sql, scope } = from(maker, depth);
  const columns: Column[] = [];
  const items: string[] = [];
  for (let i = 0, count = 1 + choices.below(4); i < count; i++) {
    const type = choices.chance(60) ? (choices.of(scope)?.type ?? 'int') : choices.of(ALL_TYPES);
    const value = maker.scalar(type, scope, depth);
    const name = `c${i}`;
    columns.push({ name, type });
    // A column without a name is called by its text.
    items.push(top && choices.chance(30) ? value : choices.of([`${value} AS ${name}`, `${name}: ${value}`]));
  }
  const distinct = choices.chance(15) ? 'DISTINCT ' : '';
  const tail = where(maker, scope, depth);
  const text = choices.chance(10)
    ? `FROM ${sql} SELECT ${distinct}${items.join(', ')}${tail}`
    : `SELECT ${distinct}${items.join(', ')} FROM ${sql}${tail}`;
  return { sql: text, columns };
}

function grouped(maker: Maker, depth: number): Made {
  const { choices } = maker;
  const { sql, scope } = from(maker, depth);
  const type = choices.of(scope)?.type ?? 'int';
  const key = maker.scalar(type, scope, 0);
  const other = maker.scalar('int', scope, 0);
  const aggregates: [string, Type][] = [
    [`count(*)::INTEGER`, 'int'],
    [`max(${maker.scalar('int', scope, 1)})`, 'int'],
    [`min(${maker.scalar('text', scope, 1)})`, 'text'],
    [`list(${other} ORDER BY ${other})`, 'list'],
    [`(sum(${maker.scalar('int', scope, 0)}) FILTER (${maker.condition(scope, 0)}))::INTEGER`, 'int'],
    [`count(DISTINCT ${key})::INTEGER`, 'int'],
  ];
  const [value, of] = choices.of(aggregates);
  const by = choices.of(['GROUP BY 1', 'GROUP BY ALL', `GROUP BY ${key}`, 'GROUP BY key0']);
  const several = choices.of([
    `ROLLUP (${key}, ${other})`,
    `CUBE (${key}, ${other})`,
    `GROUPING SETS ((${key}), (${other}), ())`,
  ]);
  const having = choices.chance(30) ? ` HAVING count(*) > ${choices.of(['0', '1'])}` : '';
  const tail = where(maker, scope, depth);
  const constant = /^('|NULL|-?\d|DATE|true|false|\{|\[)/.test(key) || /^('|NULL|-?\d)/.test(other);
  if (choices.chance(25) && !constant && key !== other) {
    return {
      sql: `SELECT ${key} AS key0, ${other} AS o, ${value} AS x FROM ${sql}${tail} GROUP BY ${several}${having}`,
      columns: [
        { name: 'key0', type },
        { name: 'o', type: 'int' },
        { name: 'x', type: of },
      ],
    };
  }
  return {
    sql: `SELECT ${key} AS key0, ${value} AS x FROM ${sql}${tail} ${constant ? 'GROUP BY ALL' : by}${having}`,
    columns: [
      { name: 'key0', type },
      { name: 'x', type: of },
    ],
  };
}

/** By the position of a row among all that it is equal to nothing else is told than by their number. */
function windowed(maker: Maker, depth: number): Made {
  const { choices } = maker;
  const { sql, scope } = from(maker, depth);
  const [a, b] = [maker.scalar('int', scope, 1), maker.scalar(choices.of(scope)?.type ?? 'int', scope, 0)];
  const over = choices.of([
    `OVER (ORDER BY ${a}, ${b})`,
    `OVER (PARTITION BY ${b} ORDER BY ${a})`,
    `OVER (PARTITION BY ${a})`,
    `OVER (ORDER BY ${a} RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING)`,
    'OVER w',
  ]);
  const value = choices.of([
    `rank() ${over}`,
    `count(*) ${over}`,
    `max(${b}) ${over}`,
    `sum(${a}) ${over}`,
    `dense_rank() ${over}`,
  ]);
  const window = over === 'OVER w' ? ` WINDOW w AS (PARTITION BY ${b})` : '';
  const qualify = choices.chance(35) ? ` QUALIFY rank() OVER (ORDER BY ${a}, ${b}) <= 3` : '';
  const type: Type = 'int';
  return {
    sql: `SELECT ${a} AS c0, ${value}::VARCHAR AS c1 FROM ${sql}${where(maker, scope, depth)}${window}${qualify}`,
    columns: [
      { name: 'c0', type },
      { name: 'c1', type: 'text' },
    ],
  };
}

function setOperation(maker: Maker, depth: number): Made {
  const { choices } = maker;
  const op = choices.of(['UNION ALL', 'UNION', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL', 'INTERSECT ALL', 'UNION BY NAME']);
  const types = [choices.of(ALL_TYPES), 'int' as const];
  const side = (): string => {
    const { sql, scope } = from(maker, depth - 1);
    const list = types.map((type, i) => `${maker.scalar(type, scope, 1)} AS c${i}`).join(', ');
    return `SELECT ${list} FROM ${sql}${where(maker, scope, depth - 1)}`;
  };
  return { sql: `${side()} ${op} ${side()}`, columns: types.map((type, i) => ({ name: `c${i}`, type })) };
}

function distinctOn(maker: Maker, depth: number): Made {
  const { sql, scope } = from(maker, depth);
  const type = maker.choices.of(scope)?.type ?? 'int';
  const [a, b] = [maker.scalar('int', scope, 1), maker.scalar(type, scope, 0)];
  return {
    sql: `SELECT DISTINCT ON (c0) ${a} AS c0, ${b} AS c1 FROM ${sql}${where(maker, scope, depth)} ORDER BY c0, c1`,
    columns: [
      { name: 'c0', type: 'int' },
      { name: 'c1', type },
    ],
  };
}

function limited(maker: Maker, depth: number): Made {
  const inner = queryOf(maker, depth - 1, false);
  const order = maker.choices.of(['ALL', 'ALL DESC NULLS LAST']);
  const limit = maker.choices.of(['LIMIT 3', 'LIMIT 2 OFFSET 1', 'LIMIT 50%']);
  return { sql: `SELECT * FROM (${inner.sql}) AS ${maker.alias()} ORDER BY ${order} ${limit}`, columns: inner.columns };
}

function pivoted(maker: Maker): Made {
  const relation = maker.choices.of(maker.relations);
  const text = relation.columns.find(({ type }) => type === 'text');
  if (!text) return select(maker, 0, false);
  return {
    sql: `SELECT * FROM (PIVOT ${maker.spelled(relation)} ON ${text.name} IN ('a', 'una', '***') USING count(*)::INTEGER GROUP BY id) AS ${maker.alias()}`,
    columns: [
      { name: 'id', type: 'int' },
      { name: 'a', type: 'int' },
      { name: 'una', type: 'int' },
      { name: '"***"', type: 'int' },
    ],
  };
}

function unpivoted(maker: Maker): Made {
  const relation = maker.choices.of(maker.relations);
  const ints = relation.columns.filter(({ type, name }) => type === 'int' && name !== 'id');
  if (ints.length === 0) return select(maker, 0, false);
  const list = ints.map(({ name }) => name).join(', ');
  return {
    sql: `SELECT * FROM (UNPIVOT (SELECT id, ${list} FROM ${maker.spelled(relation)}) ON ${list} INTO NAME what VALUE val) AS ${maker.alias()}`,
    columns: [
      { name: 'id', type: 'int' },
      { name: 'what', type: 'text' },
      { name: 'val', type: 'int' },
    ],
  };
}

/** Stars in all their forms, positions, and whole rows. */
function starred(maker: Maker, depth: number, top: boolean): Made {
  const { choices } = maker;
  const relation = choices.of(maker.relations.filter(({ whole }) => whole));
  if (!relation) return select(maker, depth, top);
  const { columns } = relation;
  const alias = maker.alias();
  const name = maker.spelled(relation);
  const scope = columnsOf(relation, alias);
  const one = choices.of(columns);
  const rest = columns.filter((column) => column !== one);
  const tail = where(maker, scope, depth);
  const as = ` FROM ${name} AS ${alias}${tail}`;
  const replaced = `${maker.scalar(one.type, scope, 1)} AS ${one.name}`;
  const forms: Made[] = [
    { sql: `SELECT *${as}`, columns: [...columns] },
    { sql: `SELECT ${alias}.*${as}`, columns: [...columns] },
    { sql: `FROM ${name}`, columns: [...columns] },
    { sql: `TABLE ${name}`, columns: [...columns] },
    { sql: `SELECT * EXCLUDE (${one.name})${as}`, columns: rest },
    { sql: `SELECT * REPLACE (${replaced})${as}`, columns: [...columns] },
    {
      sql: `SELECT * RENAME (${one.name} AS renamed)${as}`,
      columns: columns.map((c) => (c === one ? { ...c, name: 'renamed' } : c)),
    },
    { sql: `SELECT COLUMNS(*)${as}`, columns: [...columns] },
    {
      sql: `SELECT COLUMNS(c -> c LIKE '%d%')${as}`,
      columns: columns.filter((c) => c.name.replaceAll('"', '').includes('d')),
    },
    { sql: `SELECT #1 AS c0${as}`, columns: [{ name: 'c0', type: 'int' }] },
  ];
  if (top) {
    forms.push(
      { sql: `SELECT ${alias}${as}`, columns: [] },
      { sql: `SELECT ${alias}.${one.name}, ${alias}${as}`, columns: [] },
      { sql: `SELECT to_json(${alias}) AS j${as}`, columns: [] },
      {
        sql: `SELECT ${['', 'main.', 'lake.main.'].map((p) => `${p}${relation.name}.${one.name}`).join(', ')} FROM lake.main.${relation.name}`,
        columns: [],
      },
      { sql: `SELECT list(${alias} ORDER BY ${alias}) AS all_rows${as}`, columns: [] },
      { sql: `SELECT count(${alias}), count(*), count(${alias}.${one.name})${as}`, columns: [] },
    );
  }
  const { sql, columns: made } = choices.of(forms);
  return { sql, columns: made };
}

function withCommon(maker: Maker, depth: number, top: boolean): Made {
  const { choices } = maker;
  const items: string[] = [];
  const more: Named[] = [];
  let recursive = '';
  for (let i = 0, count = 1 + choices.below(2); i < count; i++) {
    const inner = maker.within(more);
    // One of them may have the name of a table, which it hides.
    const hides = choices.chance(30) ? choices.of(maker.relations).name : null;
    const name = hides ?? maker.alias('w');
    if (more.some((one) => one.name.toLowerCase() === name.toLowerCase())) continue;
    if (hides === null && choices.chance(20)) {
      recursive = 'RECURSIVE ';
      const base = choices.of(inner.relations);
      items.push(
        `${name} AS (SELECT id, 1 AS step FROM ${inner.spelled(base)} UNION ${choices.of(['', 'ALL '])}SELECT id, step + 1 FROM ${name} WHERE step < 3)`,
      );
      if (!base.columns.some((column) => column.name === 'id'))
        items[items.length - 1] = `${name} AS (SELECT 1 AS id, 1 AS step)`;
      const columns: Column[] = [
        { name: 'id', type: 'int' },
        { name: 'step', type: 'int' },
      ];
      more.push({ name, columns, whole: true, kind: 'common' });
      continue;
    }
    const query = queryOf(inner, depth - 1, false);
    if (query.columns.length === 0) continue;
    items.push(`${name} AS ${choices.of(['', 'MATERIALIZED ', 'NOT MATERIALIZED '])}(${query.sql})`);
    more.push({ name, columns: query.columns, whole: true, kind: 'common' });
  }
  const { sql, columns } = bodyOf(maker.within(more), depth - 1, top);
  return items.length > 0 ? { sql: `WITH ${recursive}${items.join(', ')} ${sql}`, columns } : { sql, columns };
}

/** What fails on some value, if there is one: in a list of columns or as the only condition, for the engine may ask several in any order. */
function failing(maker: Maker): Made {
  const { choices } = maker;
  const relation = choices.of(maker.relations);
  const scope = columnsOf(relation, 'f');
  const risk = choices.of([
    `CAST(${maker.scalar('text', scope, 0)} AS INTEGER)`,
    `chr(${maker.scalar('int', scope, 0)})`,
    `CAST(${maker.scalar('int', scope, 0)} AS TINYINT)`,
    `sqrt(${maker.scalar('int', scope, 0)})`,
    `(SELECT i.id FROM ${maker.spelled(choices.of(maker.relations.filter(({ kind }) => kind === 'table')))} i WHERE i.id = 1)`,
    `(${maker.scalar('int', scope, 0)} * 2000000000)`,
  ]);
  const from = `FROM ${maker.spelled(relation)} AS f`;
  const sql = choices.of([`SELECT ${risk} AS c0 ${from}`, `SELECT count(*) AS c0 ${from} WHERE ${risk} IS NOT NULL`]);
  return { sql, columns: [] };
}
