const UNITS: Readonly<Record<string, number>> = {
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};
/** What a node needs beside the engine: its code, sets and verdicts, rows on their way, bytes. */
const BESIDE = 512 * 2 ** 20;

/**
 * The resident memory that a node may come to, bytes, under a limit of the engine's: that counts most of what it takes, but not
 * what vectors of lists and texts grow to.
 *
 * @param limit as the engine reads it: `2GB`; checked when the configuration was read
 */
export function memoryCeiling(limit: string): number {
  const [, amount = '', unit = ''] = /^([\d.]+)\s*([A-Za-z]+)$/.exec(limit) ?? [];
  return Number(amount) * (UNITS[unit] ?? Number.NaN) * 1.25 + BESIDE;
}
