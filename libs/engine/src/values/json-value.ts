import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  DuckDBValue,
} from '@duckdb/node-api';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/**
 * A value as the SQL door writes it in JSON (reference/api.md, "SQL door"): integers beyond ±(2^53−1), decimals, dates,
 * times, UUIDs and bits as strings, BLOB as base64, MAP as [key, value] pairs, UNION as {tag, value}.
 */
export function jsonValue(value: DuckDBValue): JsonValue {
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
    case 'object':
      return value === null ? null : objectValue(value);
    case 'undefined':
    case 'symbol':
    case 'function':
      return null;
  }
}

function objectValue(value: NonNullable<DuckDBValue> & object): JsonValue {
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(jsonValue);
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, entry]) => [key, jsonValue(entry)]));
  }
  if (value instanceof DuckDBMapValue) return value.entries.map(({ key, value: v }) => [jsonValue(key), jsonValue(v)]);
  if (value instanceof DuckDBUnionValue) return { tag: value.tag, value: jsonValue(value.value) };
  // The engine shows an instant in the session's time zone; on the wire it is in UTC and says so.
  if (value instanceof DuckDBTimestampTZValue) return `${new DuckDBTimestampValue(value.micros).toString()}Z`;
  return String(value);
}

const SPECIAL = new Set([DuckDBTypeId.TIMESTAMP_TZ]);

/** The engine's name of a type, as in `DECIMAL(10,2)`. */
export function typeName(type: DuckDBType): string {
  return SPECIAL.has(type.typeId) ? 'TIMESTAMP WITH TIME ZONE' : type.toString();
}
