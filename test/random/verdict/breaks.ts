import type { EffectiveSet, TablePermission } from '@gadwall/rbac';
import { isAllowed, type Judge } from './gate';
import { READ_ONLY_CATALOG, type Relation } from '../statements/catalog';
import type { Generated } from '../statements/render-statement';

/** A gate that takes a set for one with other permissions. */
function taking(permissions: (set: EffectiveSet, statement: Generated) => TablePermission[]): (judge: Judge) => Judge {
  return (judge) => (set, statement) => judge({ ...set, permissions: permissions(set, statement) }, statement);
}

/** Each permission of some taken for another. */
function each(change: (one: TablePermission) => TablePermission): (judge: Judge) => Judge {
  return taking(({ permissions }) => permissions.map(change));
}

const allOn = (name: { catalog: string; schema: string; name: string }): TablePermission => ({
  effect: 'allow',
  catalog: name.catalog,
  schema: name.schema,
  table: name.name,
  verb: 'ALL',
});

const basesOf = (relations: readonly Relation[]) => relations.filter(({ view }) => view).flatMap(({ bases }) => bases);

/** Ways in which a gate can be wrong, each planted before the real one. */
export const BREAKS: Record<string, (judge: Judge) => Judge> = {
  'deny is ignored': taking(({ permissions }) => permissions.filter(({ effect }) => effect === 'allow')),
  'a deny in every catalog is ignored': taking(({ permissions }) =>
    permissions.filter(({ effect, catalog }) => effect === 'allow' || catalog !== '*'),
  ),
  'a deny on a table does not hold its schema': taking(({ permissions }, { needs }) =>
    needs.some(({ name }) => name === '*')
      ? permissions.filter(({ effect, table }) => effect === 'allow' || table === '*')
      : permissions,
  ),
  'an object of several is forgotten': (judge) => async (set, statement) => {
    const first = await judge(set, statement);
    const [forgotten] = first.objects ?? [];
    if (first.code !== 'access_denied' || !forgotten) return first;
    return judge({ ...set, permissions: [...set.permissions, allOn(forgotten)] }, statement);
  },
  'a wildcard reaches a federated catalog': (judge) => (set, statement) =>
    judge({ ...set, catalogs: [...set.catalogs, READ_ONLY_CATALOG] }, statement),
  'no wildcard is known': taking(({ permissions }) => permissions.filter(({ schema }) => schema !== '*')),
  'RO covers writes': each((one) => (one.verb === 'RO' ? { ...one, verb: 'RW' } : one)),
  'RW does not cover reads': taking(({ permissions }) => permissions.filter(({ verb }) => verb !== 'RW')),
  'RW covers DDL': each((one) => (one.verb === 'RW' ? { ...one, verb: 'ALL' } : one)),
  'a grant on a name holds in every schema': each((one) => ({ ...one, schema: '*' })),
  'names are matched by their letters': each((one) =>
    one.schema === one.schema.toUpperCase() && one.schema !== '*' ? { ...one, catalog: 'nowhere' } : one,
  ),
  'a grant on a view covers what is under it': taking(({ permissions }, { relations }) => {
    const granted = relations.filter(
      ({ view, name }) => view && permissions.some(({ effect, table }) => effect === 'allow' && table === name),
    );
    return [...permissions, ...basesOf(granted).map(allOn)];
  }),
  'what is under a view is not looked at': taking(({ permissions }, { relations }) => [
    ...permissions,
    ...basesOf(relations).map(allOn),
  ]),
  'what only common table expressions read is not looked at': taking(({ permissions }, { common }) => [
    ...permissions,
    ...common.map(allOn),
  ]),
  'a refusal names what is under a hidden view': (judge) => async (set, statement) => {
    const seen = await judge(set, statement);
    const [view] = statement.relations.filter((one) => one.view && seen.objects?.some(({ name }) => name === one.name));
    const [base] = view?.bases ?? [];
    if (!view || !base) return seen;
    return { ...seen, message: seen.message.replace(`.${view.schema}.${view.name}:`, `.${base.schema}.${base.name}:`) };
  },
  'a refusal names the first thing that the statement names': (judge) => async (set, statement) => {
    const seen = await judge(set, statement);
    const [first] = statement.named;
    if (isAllowed(seen) || !first) return seen;
    return { ...seen, objects: [], message: `lacks grants on ${first.catalog}.${first.schema}.${first.name}:read` };
  },
  'the engine answers whom nothing is granted': (judge) => async (set, statement) => {
    const seen = await judge(set, statement);
    return statement.missing && seen.code === 'access_denied' ? { ...seen, code: 'sql_error' } : seen;
  },
};
