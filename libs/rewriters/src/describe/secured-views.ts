import { CatalogTable, tableKey } from '../catalog';
import { Finding, ObjectName } from '../description';
import { render } from '../lexer';
import { callsOf, macrosCalled } from './body-findings';
import { closureOf } from './closures';
import { isSecured } from './is-secured';
import { SecuredBase, SessionCatalog } from './named-tables';

/** Secure views may stand on secure views this deep, as views may (seed 000, "Functions, settings and statement types"). */
const MAX_DEPTH = 16;

/** Whether what a name means is a secure view, or a plain view that stands on one. */
export function leadsToSecured(found: CatalogTable, catalog: SessionCatalog): boolean {
  if (isSecured(found, catalog)) return true;
  if (catalog.secured.size === 0 || found.kind === 'table' || found.internal) return false;
  return [...closureOf(found, catalog).bases.values()].some((base) => isSecured(base, catalog));
}

/** Why these secure views cannot be read. Source: seed 000, "Views"; DESIGN section 6, "Secure views". */
export function securedFindings(views: readonly CatalogTable[], catalog: SessionCatalog): Finding[] {
  if (views.length === 0) return [];
  if (catalog.withheld !== null) {
    return [refusal(`statement uses a secure view while the session ${catalog.withheld}`)];
  }
  return views.filter((view) => !isAsMade(view, catalog)).map(notAsMade);
}

/** The catalog has something else than what was made. */
export function notAsMade({ catalog, schema, name }: ObjectName): Finding {
  return refusal(
    `the secure view ${catalog}.${schema}.${name} has changed since it was made, or what it reads has: ` +
      'a superuser can make it again',
  );
}

/** A secure view is read where no text of the statement names it: there nothing can be put in its place. */
export function outOfReach(where: string): Finding {
  return refusal(`a secure view is read ${where}, which is not supported`);
}

/** Whether the catalog has a secure view as the policy has it, and under it what it was made over. */
export function isAsMade(found: CatalogTable, catalog: SessionCatalog, depth = 1): boolean {
  const view = catalog.secured.get(tableKey(found));
  const { kind, query, body } = found;
  if (!view || kind !== 'view' || !query || !body || depth > MAX_DEPTH) return false;
  if (query.columns.length > 0 || render(query.tokens) !== view.body) return false;
  // A macro of a user would stand before the engine's function that was meant.
  if (callsOf(body).some((name) => macrosCalled(name, catalog).length > 0)) return false;
  return view.bases.every((base) => isBaseAsMade(base, catalog, depth));
}

function isBaseAsMade(base: SecuredBase, catalog: SessionCatalog, depth: number): boolean {
  const found = catalog.snapshot.tables.get(tableKey(base));
  if (!found || found.temporary || found.internal || found.kind !== base.kind) return false;
  if (base.kind === 'view') return isAsMade(found, catalog, depth + 1);
  return found.calls.every((name) => macrosCalled(name, catalog).length === 0);
}

/** The keys (`tableKey`) of the base tables of a secure view, through those that it stands on. */
export function tablesUnder(view: ObjectName, { secured }: Pick<SessionCatalog, 'secured'>, depth = 1): Set<string> {
  const tables = new Set<string>();
  for (const base of depth > MAX_DEPTH ? [] : (secured.get(tableKey(view))?.bases ?? [])) {
    if (base.kind === 'table') tables.add(tableKey(base));
    else for (const key of tablesUnder(base, { secured }, depth + 1)) tables.add(key);
  }
  return tables;
}

function refusal(message: string): Finding {
  return { rule: 'secure-view', message, bindsSuperusers: false };
}
