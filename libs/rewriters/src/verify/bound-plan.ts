import { arrayOf, isObject, JsonObject, stringOf } from '../ast';
import { ObjectName } from '../description';
import { PlanTemplate } from './plan-template';

/** What a governed plan is held against. */
export interface Proof {
  nonce: string;
  /** By `tableKey`: every protected table of the statement. */
  tables: ReadonlyMap<string, PlanTemplate>;
  /** The plans of the listings that are answered, as `canonicalPlan` writes them. */
  listings: ReadonlySet<string>;
  /** Likewise those of the secure views that are read. */
  sealed: ReadonlySet<string>;
}

/** What was proven to be governed, of tables whose rows are filtered. */
export interface Relations {
  /** Projections through which the engine moves what is asked of their columns. */
  open: Set<JsonObject>;
  /** Operators through which it moves nothing. */
  closed: Set<JsonObject>;
  /** Scans of what UPDATE and DELETE touch. */
  targets: Set<JsonObject>;
}

/** The operator under which another one stands, up to the root. */
export interface Parents {
  operator: JsonObject;
  /** Among its children. */
  index: number;
  above: Parents | null;
}

/** The table that a scan reads; null for any other source of rows. */
export function scannedTable(get: JsonObject): ObjectName | null {
  if (stringOf(get.name) !== 'seq_scan' || !isObject(get.function_data)) return null;
  const { catalog, schema, table } = get.function_data;
  return { catalog: stringOf(catalog), schema: stringOf(schema), name: stringOf(table) };
}

/** A filter that gives fewer columns than it takes: their order is another then. */
export function narrows({ projection_map: map }: JsonObject): boolean {
  return arrayOf(map).length > 0;
}
