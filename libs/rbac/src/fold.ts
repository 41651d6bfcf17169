/**
 * A catalog, schema or table name as DuckDB compares it: ASCII letters without case, everything else as it is. Folding
 * more would make two objects one.
 */
export { fold as foldName } from '@gadwall/rewriters';
