import type { Listed, ListedNames } from '@gadwall/rewriters';
import { foldName } from './fold';
import type { AccessClass, EffectiveSet, TablePermission } from './model';
import { classesOfVerb } from './verb-classes';

const CLASSES: readonly AccessClass[] = ['Read', 'Write', 'Ddl'];

/**
 * What listings show to a principal: what some grant of theirs covers. A wildcard catalog lists the tenant's own, and
 * whoever may read `information_schema` sees all of those (seed 000, "Catalog listings").
 */
export function listedFor(set: EffectiveSet): Listed {
  const classes = CLASSES.map((one) => {
    const permissions = set.permissions.filter(({ verb }) => classesOfVerb(verb).includes(one));
    const names = (effect: TablePermission['effect']): ListedNames[] =>
      permissions
        .filter((permission) => permission.effect === effect)
        .flatMap((permission) => namesOf(set, permission));
    return { allow: names('allow'), deny: names('deny') };
  });
  return { whole: wholeCatalogs(set), classes };
}

/** A wildcard that denies reaches every catalog there is. */
function namesOf({ catalogs }: EffectiveSet, { effect, catalog, schema, table }: TablePermission): ListedNames[] {
  const rest = { schema: part(schema), table: part(table) };
  if (catalog !== '*') return [{ catalog: foldName(catalog), ...rest }];
  return effect === 'deny' ? [{ catalog: null, ...rest }] : catalogs.map((own) => ({ catalog: own, ...rest }));
}

function part(pattern: string): string | null {
  return pattern === '*' ? null : foldName(pattern);
}

function wholeCatalogs({ permissions, catalogs }: EffectiveSet): string[] {
  const reads = permissions.filter(
    ({ effect, schema, verb }) =>
      effect === 'allow' && foldName(schema) === 'information_schema' && classesOfVerb(verb).includes('Read'),
  );
  return catalogs.filter((own) => reads.some(({ catalog }) => catalog === '*' || foldName(catalog) === own));
}
