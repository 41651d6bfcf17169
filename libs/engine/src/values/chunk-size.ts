import {
  DuckDBArrayVector,
  DuckDBBlobVector,
  DuckDBDataChunk,
  DuckDBListVector,
  DuckDBMapVector,
  DuckDBStructVector,
  DuckDBVarCharVector,
  DuckDBVector,
} from '@duckdb/node-api';
import { DomainError } from '@gadwall/rbac';

/** Elements of lists in one chunk of rows; texts and blobs in it, bytes. The thread is held while they are written out. */
const MAX_ELEMENTS = 1_000_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes of the engine's `string_t`, which begins with the length. */
const STRING_BYTES = 16;

/** @throws DomainError `sql_error` for rows that are too large to be sent */
export function checkChunkSize(chunk: DuckDBDataChunk): void {
  const size = { elements: 0, bytes: 0 };
  for (let i = 0; i < chunk.columnCount; i++) weigh(chunk.getColumnVector(i), size);
}

/** What the library's vectors hold and do not show: to ask them for values is what has to be avoided. */
interface Inside {
  dataView: DataView;
  validity: { itemValid(i: number): boolean };
  childData: DuckDBVector;
  listVector: DuckDBVector;
  entryVectors: readonly DuckDBVector[];
}

function weigh(vector: DuckDBVector, size: { elements: number; bytes: number }): void {
  const inside = vector as unknown as Inside;
  if (vector instanceof DuckDBVarCharVector || vector instanceof DuckDBBlobVector) size.bytes += lengthsOf(inside);
  else if (vector instanceof DuckDBListVector || vector instanceof DuckDBArrayVector) {
    size.elements += inside.childData.itemCount;
    checkSize(size);
    weigh(inside.childData, size);
  } else if (vector instanceof DuckDBMapVector) weigh(inside.listVector, size);
  else if (vector instanceof DuckDBStructVector) for (const entry of inside.entryVectors) weigh(entry, size);
  checkSize(size);
}

/** What stands in the place of a null is nothing. */
function lengthsOf({ dataView, validity }: Inside): number {
  let sum = 0;
  for (let i = 0; i * STRING_BYTES < dataView.byteLength; i++) {
    if (validity.itemValid(i)) sum += dataView.getUint32(i * STRING_BYTES, true);
  }
  return sum;
}

function checkSize({ elements, bytes }: { elements: number; bytes: number }): void {
  if (elements <= MAX_ELEMENTS && bytes <= MAX_BYTES) return;
  const detail = `rows are too large to be sent: over ${MAX_ELEMENTS} elements of lists or ${MAX_BYTES} bytes in one batch`;
  throw new DomainError('sql_error', { detail });
}
