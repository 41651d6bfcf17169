import { foldName } from './fold';
import { coversTuple } from './covers';
import type { ColumnPolicy, EffectiveSet, OfRole } from './model';

export interface Mask {
  expression: string | null;
  roles: string[];
}
export interface TableRestrictions {
  denied: ReadonlyMap<string, string>;
  masks: ReadonlyMap<string, Mask>;
  filters: string[] | null;
}

export function restrictionsOf(
  set: EffectiveSet,
  object: { catalog: string; schema: string; name: string },
): TableRestrictions {
  const denied = new Map<string, string>();
  const byColumn = new Map<string, Map<string, OfRole<ColumnPolicy>>>();
  for (const p of set.columnPolicies) {
    if (!coversTuple(set, p, object)) continue;
    const column = foldName(p.column);
    if (p.action === 'deny') denied.set(column, p.role);
    else {
      const roles = byColumn.get(column) ?? new Map<string, OfRole<ColumnPolicy>>();
      roles.set(p.role, p);
      byColumn.set(column, roles);
    }
  }
  const masks = new Map<string, Mask>();
  for (const [column, roles] of byColumn) {
    if (denied.has(column)) continue;
    const texts = new Set([...roles.values()].map((p) => p.transformSql));
    masks.set(column, { expression: texts.size === 1 ? ([...texts][0] ?? null) : null, roles: [...roles.keys()] });
  }
  const filters = [...new Set(set.rowPolicies.filter((p) => coversTuple(set, p, object)).map((p) => p.predicateSql))];
  return { denied, masks, filters: filters.length > 0 ? filters : null };
}
