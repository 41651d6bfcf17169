import { fold, isTemporary, SearchPath, SessionCatalog } from '@gadwall/rewriters';
import { NodeSession } from '../session';

/**
 * What it is about a session that it may read no secure view: what names, literals and functions mean in it may be another
 * than when the view was made. null: nothing. Source: seed 000, "Views".
 */
export function withheldFrom(
  session: NodeSession | null,
  { snapshot, path }: Pick<SessionCatalog, 'snapshot' | 'path'>,
  opened: SearchPath[number],
): string | null {
  // As it was opened.
  if (session === null || session.epoch === 0) return null;
  if ([...snapshot.tables.values()].some((table) => table.temporary && table.kind === 'view' && !table.internal)) {
    return 'holds a temporary view';
  }
  if ([...snapshot.macros.values()].flat().some(isTemporary)) return 'holds a temporary macro';
  if (snapshot.types.some(isTemporary)) return 'holds a temporary type';
  if (session.altered) return 'has set a variable, or changed a setting other than its search path';
  const [only, ...more] = path;
  const isDefault =
    more.length === 0 &&
    fold(only?.catalog ?? '') === fold(opened.catalog) &&
    fold(only?.schema ?? '') === fold(opened.schema);
  return isDefault ? null : 'has a search path other than its default';
}
