/**
 * Words of the engine that no name may be without quotes where an alias can stand: categories `reserved` and
 * `type_function` of `duckdb_keywords()` (test/engine/inventory.spec.ts holds them to the pinned engine).
 */
const NEVER_AN_ALIAS = new Set(
  `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default
  deferrable desc describe distinct do else end except false fetch for foreign from group having in initially intersect
  into lambda lateral leading limit not null offset on only or order pivot pivot_longer pivot_wider placing primary
  qualify references returning select show some summarize symmetric table then to trailing true union unique unpivot
  using variadic when where window with
  anti asof at authorization binary by collation columns concurrently cross freeze full generated glob ilike inner is
  isnull join left like map natural notnull outer overlaps positional right semi similar struct tablesample try_cast
  unpack verbose`.split(/\s+/),
);

/** Whether a word, folded, may stand behind a table as its alias. */
export function mayBeAlias(word: string): boolean {
  return !NEVER_AN_ALIAS.has(word);
}
