import { arrayOf, isObject, JsonObject, stringOf } from '../ast';

/**
 * Names of the columns that the table of a write keeps, in order. By their places among these, which leave generated columns
 * out, an UPDATE says what it sets, and RETURNING what it reads.
 *
 * @param operator of a bound plan, that writes to a table
 */
export function storedColumns({ table_info: info }: JsonObject): string[] {
  const columns = isObject(info) && isObject(info.columns) ? arrayOf(info.columns.columns) : [];
  return columns.flatMap((column) =>
    isObject(column) && column.category !== 'GENERATED' ? [stringOf(column.name)] : [],
  );
}
