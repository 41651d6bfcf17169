import { DuckDBDecimalType, DuckDBDecimalValue, DuckDBType, DuckDBTypeId, DuckDBValue } from '@duckdb/node-api';
import { jsonValue } from '@gadwall/engine';
import {
  Binary,
  Bool,
  Data,
  DataType,
  DateDay,
  Decimal,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  Int8,
  makeData,
  TimestampMicrosecond,
  Uint16,
  Uint32,
  Uint64,
  Uint8,
  Utf8,
} from 'apache-arrow';

/** One Arrow column: its type, and the data of the first rows of a vector. */
export interface ArrowColumn {
  readonly type: DataType;
  data(values: readonly DuckDBValue[]): Data;
}

interface FixedArray {
  [index: number]: number | bigint;
  buffer: ArrayBufferLike;
}
type FixedArrayType = new (length: number) => FixedArray;

/** A bit a value, 1 = not null; undefined when no value is null. */
function validity(values: readonly DuckDBValue[]): { nullBitmap: Uint8Array | undefined; nullCount: number } {
  let nullCount = 0;
  const bitmap = new Uint8Array(Math.ceil(values.length / 8));
  values.forEach((value, i) => {
    if (value === null) nullCount++;
    else bitmap[i >> 3] = (bitmap[i >> 3] as number) | (1 << (i & 7));
  });
  return { nullBitmap: nullCount > 0 ? bitmap : undefined, nullCount };
}

/** Values of one width: numbers, dates as days, timestamps as microseconds. */
function fixed(
  type: DataType,
  Values: FixedArrayType,
  of: (value: NonNullable<DuckDBValue>) => number | bigint,
): ArrowColumn {
  return {
    type,
    data(values) {
      const data = new Values(values.length);
      values.forEach((value, i) => {
        if (value !== null) data[i] = of(value);
      });
      return makeData({ type, length: values.length, data, ...validity(values) } as never) as Data;
    },
  };
}

/** Values of any length; the offsets are 32 bits wide, which one chunk of the engine cannot overflow. */
function variable(type: Utf8 | Binary, of: (value: NonNullable<DuckDBValue>) => Uint8Array): ArrowColumn {
  return {
    type,
    data(values) {
      const parts = values.map((value) => (value === null ? new Uint8Array() : of(value)));
      const valueOffsets = new Int32Array(values.length + 1);
      parts.forEach((part, i) => (valueOffsets[i + 1] = (valueOffsets[i] as number) + part.length));
      const data = Buffer.concat(parts);
      return makeData({ type, length: values.length, valueOffsets, data, ...validity(values) } as never) as Data;
    },
  };
}

function booleans(): ArrowColumn {
  const type = new Bool();
  return {
    type,
    data(values) {
      const data = new Uint8Array(Math.ceil(values.length / 8));
      values.forEach((value, i) => {
        if (value === true) data[i >> 3] = (data[i >> 3] as number) | (1 << (i & 7));
      });
      return makeData({ type, length: values.length, data, ...validity(values) });
    },
  };
}

/** 128 bits a value, two's complement, little end first. */
function decimals({ scale, width }: DuckDBDecimalType): ArrowColumn {
  const type = new Decimal(scale, width, 128);
  return {
    type,
    data(values) {
      const words = new BigUint64Array(values.length * 2);
      values.forEach((value, i) => {
        if (!(value instanceof DuckDBDecimalValue)) return;
        words[i * 2] = BigInt.asUintN(64, value.value);
        words[i * 2 + 1] = BigInt.asUintN(64, value.value >> 64n);
      });
      const data = new Uint32Array(words.buffer);
      return makeData({ type, length: values.length, data, ...validity(values) });
    },
  };
}

const encoder = new TextEncoder();

/** A type that Arrow has no simple counterpart of is sent as the text that JSON has. */
function texts(): ArrowColumn {
  return variable(new Utf8(), (value) => {
    const shown = jsonValue(value);
    return encoder.encode(typeof shown === 'string' ? shown : JSON.stringify(shown));
  });
}

const asNumber = (value: NonNullable<DuckDBValue>) => value as number;
const asBigInt = (value: NonNullable<DuckDBValue>) => value as bigint;
const days = (value: NonNullable<DuckDBValue>) => (value as { days: number }).days;
const micros = (value: NonNullable<DuckDBValue>) => (value as { micros: bigint }).micros;

/** The Arrow column for a column type of the engine. */
export function arrowColumn(type: DuckDBType): ArrowColumn {
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
      return booleans();
    case DuckDBTypeId.TINYINT:
      return fixed(new Int8(), Int8Array, asNumber);
    case DuckDBTypeId.SMALLINT:
      return fixed(new Int16(), Int16Array, asNumber);
    case DuckDBTypeId.INTEGER:
      return fixed(new Int32(), Int32Array, asNumber);
    case DuckDBTypeId.BIGINT:
      return fixed(new Int64(), BigInt64Array, asBigInt);
    case DuckDBTypeId.UTINYINT:
      return fixed(new Uint8(), Uint8Array, asNumber);
    case DuckDBTypeId.USMALLINT:
      return fixed(new Uint16(), Uint16Array, asNumber);
    case DuckDBTypeId.UINTEGER:
      return fixed(new Uint32(), Uint32Array, asNumber);
    case DuckDBTypeId.UBIGINT:
      return fixed(new Uint64(), BigUint64Array, asBigInt);
    case DuckDBTypeId.FLOAT:
      return fixed(new Float32(), Float32Array, asNumber);
    case DuckDBTypeId.DOUBLE:
      return fixed(new Float64(), Float64Array, asNumber);
    case DuckDBTypeId.DATE:
      return fixed(new DateDay(), Int32Array, days);
    case DuckDBTypeId.TIMESTAMP:
      return fixed(new TimestampMicrosecond(), BigInt64Array, micros);
    case DuckDBTypeId.TIMESTAMP_TZ:
      return fixed(new TimestampMicrosecond('UTC'), BigInt64Array, micros);
    case DuckDBTypeId.DECIMAL:
      return decimals(type);
    case DuckDBTypeId.BLOB:
      return variable(new Binary(), (value) => (value as { bytes: Uint8Array }).bytes);
    case DuckDBTypeId.VARCHAR:
      return variable(new Utf8(), (value) => encoder.encode(value as string));
    default:
      return texts();
  }
}
