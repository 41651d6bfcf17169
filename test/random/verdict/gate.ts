import { DomainError, type EffectiveSet, superuserSet, type TablePermission } from '@gadwall/rbac';
import { type Outcome, startPipeline } from '../../support/pipeline';
import { expected, type Expected, mayBeNamed, mustBeNamed } from './oracle';
import { CATALOG_SQL, OWN_CATALOGS, READ_ONLY_CATALOG, sameName } from '../statements/catalog';
import type { Generated } from '../statements/render-statement';

/** What the gate says of a statement; nothing of it is run. */
export type Judge = (set: EffectiveSet, statement: Generated) => Promise<Outcome>;

/** The last check before a statement is submitted: it has been allowed by then, and goes no further. */
const ALLOWED = 'stale';
const goNoFurther = () => {
  throw new DomainError(ALLOWED);
};

/** The gate of a node, on the catalog that statements are generated for. */
export async function openGate(): Promise<{ judge: Judge; close: () => Promise<void> }> {
  const node = await startPipeline(CATALOG_SQL, {
    catalogs: [
      ...OWN_CATALOGS.map((name) => ({ name, path: ':memory:', readOnly: false })),
      { name: READ_ONLY_CATALOG, path: ':memory:', readOnly: true },
    ],
  });
  return {
    judge: (set, { sql }) => node.run(set, sql, { assertCurrent: goNoFurther }),
    close: () => node.close(),
  };
}

export function userOf(permissions: TablePermission[]): EffectiveSet {
  return { ...superuserSet('una'), tenant: 'acme', permissions, catalogs: OWN_CATALOGS };
}

const ROOT = superuserSet('root');

export function isAllowed({ code }: Outcome): boolean {
  return code === ALLOWED;
}

const OBJECT = /([^\s,:]+?)\.([^\s,:]+?)\.([^\s,:]+):(?:read|insert|update|delete|create|drop|alter)/g;

/** What the gate's answer is by the oracle. */
export type Comparison =
  | { kind: 'as expected'; outcome: Expected['outcome'] }
  /** The engine takes no such statement, or gives no plan of it to a superuser either. */
  | { kind: 'no statement' | 'undescribed' }
  | { kind: 'wrong'; how: string };

export async function compare(judge: Judge, statement: Generated, set: EffectiveSet): Promise<Comparison> {
  const seen = await judge(set, statement);
  const { outcome, lacking } = expected(statement, set.permissions);
  const found = isAllowed(seen) ? 'allowed' : seen.code === 'access_denied' ? 'refused' : 'error';
  if (found === 'error' && !statement.missing) {
    const root = await judge(ROOT, statement);
    if (root.code === seen.code) return { kind: 'no statement' };
    return { kind: 'wrong', how: `an error that a superuser does not get: ${seen.message}` };
  }
  if (found === 'refused' && seen.rule === 'not-described' && outcome !== 'refused') {
    if ((await judge(ROOT, statement)).rule === 'not-described') return { kind: 'undescribed' };
  }
  const how =
    found !== outcome
      ? `expected ${outcome}, was ${found}: ${seen.message}`
      : outcome === 'refused' && lacking.length > 0
        ? misnamed(statement, set, seen)
        : null;
  return how === null ? { kind: 'as expected', outcome } : { kind: 'wrong', how };
}

/** What a refusal names amiss; null when nothing. */
function misnamed(
  statement: Generated,
  { permissions }: EffectiveSet,
  { objects = [], message }: Outcome,
): string | null {
  const inText = [...message.matchAll(OBJECT)].map(([, catalog = '', schema = '', name = '']) => ({
    catalog,
    schema,
    name,
  }));
  const may = mayBeNamed(statement, permissions);
  const betrayed = [...objects, ...inText].find((object) => !may.some((name) => sameName(name, object)));
  if (betrayed) return `the refusal tells of ${betrayed.catalog}.${betrayed.schema}.${betrayed.name}: ${message}`;
  const must = mustBeNamed(statement, expected(statement, permissions).lacking);
  const names = inText.some((object) => must.some((name) => sameName(name, object)));
  return names ? null : `the refusal names nothing that is lacking: ${message}`;
}
