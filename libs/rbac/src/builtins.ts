/** The four built-ins of every tenant. Source: seed 000, "Built-in roles and groups". */
export const BUILTINS = {
  allTables: 'gadwall_all_tables',
  noTables: 'gadwall_no_tables',
  allPools: 'gadwall_all_pools',
  noPools: 'gadwall_no_pools',
} as const;

const ALIASES: Readonly<Record<string, string>> = {
  qod_all_tables: BUILTINS.allTables,
  qod_no_tables: BUILTINS.noTables,
  qod_all_pools: BUILTINS.allPools,
  qod_no_pools: BUILTINS.noPools,
};

const RESERVED_PREFIXES = ['gadwall_', 'qod_'];

/**
 * A name with its case, its compatibility forms and its invisible characters folded away, so that no name that merely
 * looks reserved gets past the check.
 */
function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .trim();
}

/** True for a role or group name that only built-ins may bear, in any case (seed 000, "Built-in roles and groups"). */
export function isReserved(name: string): boolean {
  const plain = folded(name);
  return RESERVED_PREFIXES.some((prefix) => plain.startsWith(prefix));
}

/** The name that a role or group is stored under: the seed's `qod_…` names are aliases of ours on input. */
export function canonicalName(name: string): string {
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name;
}
