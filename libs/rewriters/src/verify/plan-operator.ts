import { arrayOf, isObject, JsonObject, stringOf } from '../ast';

/** A column index beyond this is a virtual column: rowid is 2^64-1, which JSON.parse does not keep exactly. */
const FIRST_VIRTUAL_COLUMN = 2 ** 53;

/** Names of the columns that a scan gives, in order; a virtual one is `rowid`. */
export function scannedColumns(get: JsonObject): string[] {
  const names = arrayOf(get.names).map(stringOf);
  return arrayOf(get.column_indexes).map((entry) => {
    const index = isObject(entry) && typeof entry.index === 'number' ? entry.index : Number.NaN;
    return index >= FIRST_VIRTUAL_COLUMN ? 'rowid' : (names[index] ?? '');
  });
}

export function operatorType(operator: JsonObject): string {
  return stringOf(operator.type);
}

export function childrenOf(operator: JsonObject): JsonObject[] {
  return arrayOf(operator.children).filter(isObject);
}
