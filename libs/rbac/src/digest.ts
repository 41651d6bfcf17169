import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { EffectiveSet } from './model';

/**
 * SHA-256, hex, of the RFC 8785 form of a set. The set holds everything a verdict depends on and nothing else (no
 * version, no provenance): equal digest, equal verdicts (DESIGN section 1).
 */
export function setDigest(set: EffectiveSet): string {
  return createHash('sha256')
    .update(canonicalize(set) ?? '')
    .digest('hex');
}
