import { CatalogTable, tableKey } from '../catalog';
import { SessionCatalog } from './named-tables';

/** Whether an object bears the name of a secure view: it is one, or stands where one has to be. */
export function isSecured(found: CatalogTable, { secured }: Pick<SessionCatalog, 'secured'>): boolean {
  return secured.size > 0 && !found.temporary && secured.has(tableKey(found));
}
