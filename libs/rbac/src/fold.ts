/**
 * A catalog, schema or table name as DuckDB compares it: ASCII letters without case, everything else as it is. Folding
 * more would make two objects one.
 */
export function foldName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
