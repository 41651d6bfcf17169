import { Choices } from './choices';
import { type Column, literal, type Table, type Type, TYPES, type World } from './world';

/** A relation that a query can name, and the columns that may be read of it. */
export interface Named {
  name: string;
  columns: readonly Column[];
  /** A star may stand for its columns: none of them is denied. */
  whole: boolean;
  kind: 'table' | 'view' | 'common';
}

/** A column in scope: how it is written there. */
export interface InScope {
  sql: string;
  type: Type;
}

export interface Made {
  sql: string;
  columns: Column[];
}

/** What a statement is made with. */
export class Maker {
  private aliases = 0;

  constructor(
    readonly choices: Choices,
    readonly relations: readonly Named[],
  ) {}

  alias(prefix = 'a'): string {
    return `${prefix}${this.aliases++}`;
  }

  /** Within reach of further common table expressions, which hide what has their name. */
  within(more: readonly Named[]): Maker {
    const names = new Set(more.map(({ name }) => name.toLowerCase()));
    const left = this.relations.filter(({ name }) => !names.has(name.toLowerCase()));
    const maker = new Maker(this.choices, [...more, ...left]);
    maker.aliases = this.aliases + 100;
    return maker;
  }

  /** A scalar of a type over the columns in scope. */
  scalar(type: Type, scope: readonly InScope[], depth: number): string {
    const { choices } = this;
    const own = scope.filter((one) => one.type === type);
    const form = choices.below(depth > 0 ? 12 : 4);
    if (form < 3 && own.length > 0) return choices.of(own).sql;
    if (form < 4 || depth === 0)
      return own.length > 0 && choices.chance(60) ? choices.of(own).sql : literal(type, choices);
    const one = (of: Type): string => this.scalar(of, scope, depth - 1);
    if (form === 4) return `CASE WHEN ${this.condition(scope, depth - 1)} THEN ${one(type)} ELSE ${one(type)} END`;
    if (form === 5) return `coalesce(${one(type)}, ${one(type)})`;
    if (form === 6 && depth > 1) return this.scalarQuery(type, scope, depth - 1);
    return this.ofType(type, one);
  }

  private ofType(type: Type, one: (of: Type) => string): string {
    const { choices } = this;
    switch (type) {
      case 'int':
        return choices.of([
          () => `(${one('int')} + 1)`,
          () => `abs(${one('int')})`,
          () => `length(${one('text')})::INTEGER`,
          () => `struct_extract(${one('struct')}, 'k')`,
          () => `(${one('struct')}).k`,
          () => `(${one('list')})[1]`,
          () => `year(${one('date')})::INTEGER`,
          () => `greatest(${one('int')}, ${one('int')})`,
        ])();
      case 'dec':
        return choices.of([
          () => `CAST(${one('int')} AS DECIMAL(9,2))`,
          () => `abs(${one('dec')})`,
          () => `round(${one('dec')}, 1)`,
        ])();
      case 'text':
        return choices.of([
          () => `upper(${one('text')})`,
          () => `(${one('text')} || '!')`,
          () => `left(${one('text')}, 2)`,
          () => `(${one('struct')}).w`,
          () => `${one('int')}::VARCHAR`,
          () => `${one('date')}::VARCHAR`,
          () => `replace(${one('text')}, 'a', 'o')`,
        ])();
      case 'date':
        return choices.of([() => `(${one('date')} + 1)`, () => `last_day(${one('date')})`])();
      case 'bool':
        return choices.of([
          () => `(${one('int')} < 3)`,
          () => `(${one('text')} LIKE '%a%')`,
          () => `(${one('int')} IS NULL)`,
        ])();
      case 'struct':
        return `{'k': ${one('int')}, 'w': ${one('text')}}`;
      case 'list':
        return choices.of([() => `[${one('int')}, 7]`, () => `list_sort(${one('list')})`])();
    }
  }

  /** A subquery of one row. */
  private scalarQuery(type: Type, scope: readonly InScope[], depth: number): string {
    const relation = this.choices.of(this.relations);
    const alias = this.alias('q');
    const own = columnsOf(relation, alias);
    const inner = this.scalar(type, own, depth - 1);
    const correlated = scope.some((one) => one.type === 'int') && own.some((one) => one.type === 'int');
    const where = correlated && this.choices.chance(60) ? ` WHERE ${this.equal(own, scope)}` : '';
    const aggregate =
      type === 'struct' || type === 'list' || type === 'bool' ? 'any_value' : this.choices.of(['max', 'min']);
    const order = aggregate === 'any_value' ? ` ORDER BY ${inner}` : '';
    return `(SELECT ${aggregate}(${inner}${order}) FROM ${this.spelled(relation)} AS ${alias}${where})`;
  }

  equal(left: readonly InScope[], right: readonly InScope[]): string {
    const ints = (of: readonly InScope[]): readonly InScope[] => of.filter((one) => one.type === 'int');
    return `${this.choices.of(ints(left))?.sql ?? '1'} = ${this.choices.of(ints(right))?.sql ?? '1'}`;
  }

  condition(scope: readonly InScope[], depth: number): string {
    const { choices } = this;
    const one = (of: Type): string => this.scalar(of, scope, Math.max(depth - 1, 0));
    switch (choices.below(depth > 0 ? 11 : 5)) {
      case 0:
        return `${one('int')} < ${choices.of(['4', '1', '7'])}`;
      case 1:
        return `${one('text')} = ${choices.of(["'a'", "'***'", "'una'"])}`;
      case 2:
        return `${this.scalar(choices.of(Object.keys(TYPES) as Type[]), scope, 0)} IS ${choices.of(['NOT NULL', 'NULL'])}`;
      case 3:
        return `${one('int')} BETWEEN 1 AND ${one('int')}`;
      case 4:
        return `${one('int')} IS DISTINCT FROM ${one('int')}`;
      case 5:
        return `(${this.condition(scope, depth - 1)} ${choices.of(['AND', 'OR'])} ${this.condition(scope, depth - 1)})`;
      case 6:
        return `NOT (${this.condition(scope, depth - 1)})`;
      default:
        return this.subquery(scope, depth);
    }
  }

  /** A condition that asks another relation. */
  private subquery(scope: readonly InScope[], depth: number): string {
    const { choices } = this;
    const relation = choices.of(this.relations);
    const alias = this.alias('s');
    const own = columnsOf(relation, alias);
    const inner = this.condition([...own, ...(choices.chance(40) ? scope : [])], depth - 1);
    const from = `${this.spelled(relation)} AS ${alias}`;
    const key = own.find((one) => one.type === 'int')?.sql ?? '1';
    const outer = this.scalar('int', scope, 0);
    switch (choices.below(4)) {
      case 0:
        return `${choices.of(['', 'NOT '])}EXISTS (SELECT 1 FROM ${from} WHERE ${this.equal(own, scope)} AND ${inner})`;
      case 1:
        return `${outer} ${choices.of(['IN', 'NOT IN'])} (SELECT ${key} FROM ${from} WHERE ${inner})`;
      case 2:
        return `${outer} > ${choices.of(['ALL', 'ANY'])} (SELECT ${key} FROM ${from})`;
      default:
        return `${outer} <= (SELECT count(*) FROM ${from} WHERE ${inner})`;
    }
  }

  /** One of the ways to write the name of a relation. */
  spelled({ name, kind }: Named): string {
    if (kind === 'common') return name;
    const form = this.choices.below(7);
    if (form === 1) return name.startsWith('"') ? name : `"${name}"`;
    if (form === 2) return name.startsWith('"') ? name : name.toUpperCase();
    // What a common table expression hides is told by its schema.
    if (form === 3) return `main.${name}`;
    if (form === 4) return `lake.main.${name}`;
    if (form === 5) return `"LAKE" . Main . ${name}`;
    return name;
  }
}

export function columnsOf({ columns }: { columns: readonly Column[] }, alias: string): InScope[] {
  return columns.map(({ name, type }) => ({ sql: `${alias}.${name}`, type }));
}

/** Relations that a statement on a world can name: of a table with denied columns the rest, and now and then all of it. */
export function relationsOf({ tables, views }: World, readable: (table: Table) => Column[]): Named[] {
  const named = (name: string, columns: Column[], whole: boolean, kind: Named['kind']): Named => ({
    name,
    columns,
    whole,
    kind,
  });
  const rest = tables.map((table) => {
    const columns = readable(table);
    return named(table.name, columns, columns.length === table.columns.length, 'table');
  });
  const all = rest
    .filter(({ whole }) => !whole)
    .map(({ name }) => {
      const table = tables.find((one) => one.name === name) as Table;
      return named(name, table.columns, true, 'table');
    });
  return [...rest, ...rest, ...views.map(({ name, columns }) => named(name, columns, true, 'view')), ...all, ...all];
}
