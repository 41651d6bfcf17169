import type { ColumnPolicy, EffectiveSet, OfRole, RowPolicy } from '@gadwall/rbac';
import { userWith } from '../../support/pipeline';
import { Choices } from './choices';
import { bare, type Column, type Table, type Type, TYPES } from './world';

const USER = 'una';
const TENANT = 'acme';

/** What policies make of one table, as the oracle knows it: told by hand, not by the code that it is held against. */
export interface Shown {
  /** Predicates, one of which has to hold; null: every row. */
  filters: string[] | null;
  /** By the column as it is written. */
  masks: Map<string, string>;
  denied: Set<string>;
}

export interface Policies {
  set: EffectiveSet;
  /** By the table as it is written. */
  shown: Map<string, Shown>;
}

const MASKS: Readonly<Record<Type, readonly string[]>> = {
  int: ['0', 'NULL', '# % 2', 'CASE WHEN # > 2 THEN 1 ELSE 0 END', 'coalesce(#, -1)'],
  dec: ['0', 'NULL', 'round(#, 0)', 'abs(#)'],
  text: ["'***'", 'NULL', "left(#, 1) || '***'", 'upper(#)', 'md5(#)', "coalesce(#, '?')", '${tenant}'],
  date: ['NULL', "DATE '2000-01-01'", "date_trunc('year', #)"],
  struct: ['NULL'],
  list: ['NULL'],
  bool: ['NULL', 'false', 'NOT #'],
};

function predicateFor({ name, type }: Column, choices: Choices): string {
  const of = (list: readonly string[]): string => choices.of(list).replaceAll('#', () => name);
  switch (type) {
    case 'int':
      return of([
        '# < 5',
        '# % 2 = 0',
        '# IN (1, 2, 7710)',
        '# IS NOT NULL',
        'coalesce(#, 0) <> 3',
        '# BETWEEN 1 AND 4',
      ]);
    case 'dec':
      return of(['# >= 1.5', '# IS NULL OR # < 5']);
    case 'text':
      return of(["# = 'a'", '# = ${user}', "# LIKE 'u%'", "# IN (${user}, 'b')", 'length(#) < 3', "upper(#) <> 'B'"]);
    case 'date':
      return of(["# > DATE '2020-06-01'", 'year(#) = 2020']);
    case 'bool':
      return of(['#', 'NOT #', '# IS NULL']);
    default:
      return of(['# IS NOT NULL', '# IS NULL']);
  }
}

const ROLES = ['reader', 'clerk'];

/** Random policies on the tables, in two roles of one user, and what they make of each. */
export function policiesOf(tables: readonly Table[], choices: Choices): Policies {
  const rowPolicies: OfRole<RowPolicy>[] = [];
  const columnPolicies: OfRole<ColumnPolicy>[] = [];
  const shown = new Map<string, Shown>(
    tables.map(({ name }) => [name, { filters: null, masks: new Map(), denied: new Set() }]),
  );
  const filter = (role: string, over: readonly Table[], table: string, predicateSql: string): void => {
    if (rowPolicies.some((one) => one.role === role && one.table === table)) return;
    rowPolicies.push({ role, catalog: 'lake', schema: choices.of(['main', '*']), table, predicateSql });
    for (const { name } of over) {
      const one = shown.get(name) as Shown;
      one.filters = [...(one.filters ?? []), known(predicateSql)];
    }
  };
  for (const table of tables) {
    const name = bare(table.name);
    const of = { catalog: 'lake', schema: 'main', table: name };
    const one = shown.get(table.name) as Shown;
    if (choices.chance(25)) continue;
    for (const role of choices.some(ROLES, 0, 2)) {
      filter(role, [table], name, predicateFor(choices.of(table.columns), choices));
    }
    for (const column of choices.some(table.columns.slice(1), 0, 3)) {
      const masks = choices.some(MASKS[column.type], 1, choices.chance(25) ? 2 : 1);
      masks.forEach((mask, i) => {
        const transformSql = mask.replaceAll('#', () => column.name);
        columnPolicies.push({
          ...of,
          column: bare(column.name),
          role: ROLES[i] as string,
          action: 'mask',
          transformSql,
        });
        // Masks of several roles that differ show nothing.
        one.masks.set(column.name, i === 0 ? known(transformSql) : 'NULL');
      });
      if (choices.chance(20)) {
        columnPolicies.push({ ...of, column: bare(column.name), role: 'clerk', action: 'deny', transformSql: null });
        one.denied.add(column.name);
      }
    }
  }
  // One on every table, by the column that each of them has.
  if (choices.chance(20)) filter('everywhere', tables, '*', choices.of(['id > 2', 'id IS NOT NULL']));
  const set = { ...userWith(USER, 'ALL lake.main.*'), columnPolicies, rowPolicies };
  return { set, shown };
}

/** Who asks, as the engine reads it. */
function known(sql: string): string {
  return sql.replaceAll('${user}', `'${USER}'`).replaceAll('${tenant}', `'${TENANT}'`);
}

/** What a superuser makes so that it holds only what is shown of a table: its rows come from `source`. */
export function shownSql({ name, columns }: Table, { filters, masks, denied }: Shown, source: string): string {
  const list = columns.map((column) => {
    if (denied.has(column.name)) return 'NULL';
    const mask = masks.get(column.name);
    return mask === undefined ? column.name : `TRY_CAST((${mask}) AS ${TYPES[column.type]})`;
  });
  const where = filters ? ` WHERE ${filters.map((one) => `(${one})`).join(' OR ')}` : '';
  return `INSERT INTO ${name} SELECT ${list.join(', ')} FROM ${source}${where};`;
}
