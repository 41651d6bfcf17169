import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from './loopback';

/**
 * Whether a caller may read metrics, which name tenants and pools: one on the same machine, or one that shows the token for
 * it (`GADWALL_METRICS_TOKEN`) as a bearer. Without a token nobody else may.
 */
export function mayScrape(caller: string, authorization: string | undefined, token: string | null): boolean {
  if (isLoopback(caller)) return true;
  if (token === null || authorization === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}
