import * as fc from 'fast-check';
import type { Effect, TablePermission, Verb } from '@gadwall/rbac';
import { MOOD, type Need, RELATIONS, SEQUENCE } from '../statements/catalog';
import type { Generated } from '../statements/render-statement';

/** How grants for a statement are made: some that cover what it needs, but for some, and some at random. */
export interface Grants {
  /** For each need in turn. Empty: none is covered on purpose. */
  covering: { verb: number; wide: 'table' | 'schema' | 'catalog' | 'own'; upper: boolean }[];
  /** The need that is left out, if there are so many. */
  without: number | null;
  /** Views that the statement names are granted too, of which nothing is needed. */
  views: boolean;
  /** One of what is needed is denied, for some access, by its name or by a wider one. */
  denied: { pick: number; verb: Verb; wide: 'table' | 'schema' | 'catalog' | 'all' } | null;
  random: TablePermission[];
}

const NAMES = [...RELATIONS, MOOD, SEQUENCE].map(({ name }) => name);
const VERBS: readonly Verb[] = ['RO', 'RW', 'DDL', 'ALL'];

const permission = (effects: readonly Effect[]): fc.Arbitrary<TablePermission> =>
  fc.record({
    effect: fc.constantFrom(...effects),
    catalog: fc.constantFrom('lake', 'lake', 'LAKE', 'pgsrc', '*', 'other'),
    schema: fc.constantFrom('main', 'main', 's1', 'public', 'Main', '*'),
    table: fc.oneof(fc.constantFrom(...NAMES), fc.constant('*'), fc.constant('fresh')),
    verb: fc.constantFrom(...VERBS),
  });

export const grants: fc.Arbitrary<Grants> = fc.record({
  covering: fc.oneof(
    { weight: 1, arbitrary: fc.constant<Grants['covering']>([]) },
    {
      weight: 5,
      arbitrary: fc.array(
        fc.record({
          verb: fc.nat({ max: 3 }),
          wide: fc.constantFrom('table', 'table', 'schema', 'catalog', 'own'),
          upper: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    },
  ),
  without: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 6 }) }),
  views: fc.constantFrom(false, false, true),
  denied: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.record({
        pick: fc.nat({ max: 20 }),
        verb: fc.constantFrom(...VERBS),
        wide: fc.constantFrom('table', 'table', 'schema', 'catalog', 'all'),
      }),
    },
  ),
  random: fc.oneof(
    { weight: 2, arbitrary: fc.constant<TablePermission[]>([]) },
    { weight: 1, arbitrary: fc.array(permission(['allow']), { maxLength: 6 }) },
    { weight: 1, arbitrary: fc.array(permission(['allow', 'allow', 'deny']), { maxLength: 4 }) },
  ),
});

const SUITING = { Read: ['RO', 'RW', 'ALL'], Write: ['RW', 'ALL'], Ddl: ['DDL', 'ALL'] } as const;

export function grantsFor(
  { covering, without, views, denied, random }: Grants,
  { needs, relations }: Generated,
): TablePermission[] {
  const distinct = [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()];
  const made = distinct.flatMap((need, i): TablePermission[] => {
    const how = covering[i % Math.max(covering.length, 1)];
    if (!how || i === without) return [];
    const verbs = SUITING[need.access];
    const verb = verbs[how.verb % verbs.length] as Verb;
    const cased = (part: string) => (how.upper ? part.toUpperCase() : part);
    return [
      {
        effect: 'allow',
        catalog: how.wide === 'own' ? '*' : cased(need.catalog),
        schema: how.wide === 'catalog' ? '*' : cased(need.schema),
        table: how.wide === 'schema' || how.wide === 'catalog' ? '*' : cased(need.name),
        verb,
      },
    ];
  });
  const over = relations.filter(({ view }) => view && views);
  const seen = over.map(({ catalog, schema, name }): TablePermission => {
    return { effect: 'allow', catalog, schema, table: name, verb: 'RO' };
  });
  const off = denied === null ? [] : denialOf(denied, distinct);
  return [...made, ...seen, ...off, ...random];
}

function denialOf({ pick, verb, wide }: NonNullable<Grants['denied']>, needs: readonly Need[]): TablePermission[] {
  const need = needs[pick % Math.max(needs.length, 1)];
  if (!need) return [];
  return [
    {
      effect: 'deny',
      catalog: wide === 'all' ? '*' : need.catalog,
      schema: wide === 'catalog' || wide === 'all' ? '*' : need.schema,
      // A schema is denied with any of its tables.
      table: wide !== 'table' ? '*' : need.name === '*' ? 'customer' : need.name,
      verb,
    },
  ];
}
