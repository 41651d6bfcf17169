import type { TablePermission } from '@gadwall/rbac';
import { type Name, type Need, OWN_CATALOGS, sameName } from '../statements/catalog';
import type { Generated } from '../statements/render-statement';

/** What a statement must come to for one with these grants. */
export interface Expected {
  outcome: 'allowed' | 'refused' | 'error';
  /** What it lacks. */
  lacking: readonly Need[];
}

/** Which classes a verb covers: seed 000, "Verbs". */
const CLASSES = { RO: ['Read'], RW: ['Read', 'Write'], DDL: ['Ddl'], ALL: ['Read', 'Write', 'Ddl'] };

/** Whether a grant is of this very object or all like it: seed 000, "How a grant covers a table access" and "Wildcards". */
function covers(grant: TablePermission, need: Need): boolean {
  const same = (pattern: string, name: string) => pattern === '*' || pattern.toLowerCase() === name.toLowerCase();
  const deny = grant.effect === 'deny';
  if (!CLASSES[grant.verb].includes(need.access)) return false;
  // A wildcard grants nothing of a federated catalog. It denies there too: deny wins.
  if (grant.catalog === '*' && !deny && !OWN_CATALOGS.includes(need.catalog)) return false;
  if (!same(grant.catalog, need.catalog) || !same(grant.schema, need.schema)) return false;
  // An access to a whole schema needs a grant on all its tables, and is denied with any of them.
  return need.name === '*' ? deny || grant.table === '*' : same(grant.table, need.name);
}

function isCovered(grants: readonly TablePermission[], need: Need): boolean {
  const covering = grants.filter((grant) => covers(grant, need));
  return covering.length > 0 && covering.every(({ effect }) => effect === 'allow');
}

/** The oracle: it knows what the statement was made of, and nothing of how the gate finds that out. */
export function expected(statement: Generated, grants: readonly TablePermission[]): Expected {
  const lacking = statement.needs.filter((need) => !isCovered(grants, need));
  if (lacking.length > 0 || statement.changesReadOnly) return { outcome: 'refused', lacking };
  return { outcome: statement.missing ? 'error' : 'allowed', lacking };
}

/**
 * What a refusal may name: what the statement names, and what is under a view that it names and a grant covers (DESIGN
 * invariant 15).
 */
export function mayBeNamed({ named, relations }: Generated, grants: readonly TablePermission[]): Name[] {
  const known = relations.filter((relation) =>
    grants.some((grant) => grant.effect === 'allow' && covers(grant, { ...relation, access: 'Read' })),
  );
  return [...named, ...known.flatMap(({ bases }) => bases)];
}

/** What a refusal has to name one of: an object that is lacking, or a view over one. */
export function mustBeNamed({ relations }: Generated, lacking: readonly Need[]): Name[] {
  const over = relations.filter(({ bases }) => bases.some((base) => lacking.some((need) => sameName(need, base))));
  return [...lacking, ...over];
}
