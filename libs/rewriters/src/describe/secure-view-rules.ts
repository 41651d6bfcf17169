import { QueryNames } from '../ast';
import { CatalogTable, tableKey } from '../catalog';
import { classOfFunction, isEngineType } from '../classification';
import { ObjectName } from '../description';
import { fold } from '../lexer';
import { macrosCalled } from './body-findings';
import { isSecured } from './is-secured';
import { SecuredBase, SessionCatalog } from './named-tables';

/** What keeps a query from being that of a secure view, in words for its author. */
export class SecureViewFault extends Error {}

/**
 * What the query of a secure view reads, in the catalog's spelling. It is written fully qualified over base tables,
 * built-ins and other secure views, so that it means the same whoever reads it. Source: seed 000, "Views".
 *
 * @param names of its syntax tree
 * @param view the name that it is to have
 * @throws SecureViewFault
 */
export function secureViewBases(names: QueryNames, view: ObjectName, catalog: SessionCatalog): SecuredBase[] {
  requireBuiltIns(names, catalog);
  const bases = new Map<string, SecuredBase>();
  for (const written of names.tables) {
    const found = baseOf(written, catalog);
    const key = tableKey(found);
    if (key === tableKey(view)) throw new SecureViewFault('a secure view cannot read itself');
    bases.set(key, { catalog: found.catalog, schema: found.schema, name: found.name, kind: found.kind });
  }
  return [...bases.values()];
}

function requireBuiltIns(names: QueryNames, catalog: SessionCatalog): void {
  const [unsupported] = names.unsupported;
  if (unsupported !== undefined) throw new SecureViewFault(`a secure view cannot use ${unsupported}`);
  if (names.timeTravel) throw new SecureViewFault('a secure view cannot read an earlier snapshot');
  if (names.queries.length + names.queryTables.length > 0) {
    throw new SecureViewFault('a secure view cannot use query() and query_table()');
  }
  const type = names.types.find(({ name, schema }) => schema !== '' || !isEngineType(name));
  if (type) throw new SecureViewFault(`a secure view uses built-in types alone: ${type.name} is none`);
  for (const { name, position } of names.functions) {
    if (macrosCalled(name, catalog).length > 0) {
      throw new SecureViewFault(`a secure view uses built-in functions alone: ${name} is a macro`);
    }
    const found = classOfFunction(name, position);
    if (found === 'pure' || found === 'volatile') continue;
    throw new SecureViewFault(
      found === 'session'
        ? `a secure view cannot use ${name}: it would tell of whoever reads it, not of its owner`
        : `a secure view cannot use the function ${name}`,
    );
  }
}

function baseOf({ catalog: inCatalog, schema, name }: ObjectName, catalog: SessionCatalog): CatalogTable {
  if (inCatalog === '' || schema === '') {
    const written = [inCatalog, schema, name].filter((part) => part !== '').join('.');
    throw new SecureViewFault(
      `a secure view names what it reads by three parts, catalog.schema.table: ${written} has less`,
    );
  }
  const place = `${inCatalog}.${schema}.${name}`;
  const found = catalog.snapshot.tables.get(tableKey({ catalog: inCatalog, schema, name }));
  if (!found) throw new SecureViewFault(`there is no table and no secure view ${place}`);
  if (found.temporary || found.internal || !catalog.declared.has(fold(found.catalog))) {
    throw new SecureViewFault(`${place} is no base table of the pool's catalogs`);
  }
  if (catalog.stubs.has(fold(found.catalog))) {
    throw new SecureViewFault(`${place} is a table of a federated catalog, whose scans no plan tells apart`);
  }
  if (isSecured(found, catalog) ? found.kind === 'table' : found.kind === 'view') {
    throw new SecureViewFault(`${place} is no secure view: a secure view reads base tables and other secure views`);
  }
  return found;
}
