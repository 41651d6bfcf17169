/** The one place of every time of the protocol; a manager hands it to its nodes. */
export interface LeaseTiming {
  /** How long a renewal entitles a node to start statements, ms. */
  ttlMs: number;
  /** ms between renewals. */
  renewMs: number;
  /** Share of the TTL that a node gives up because clocks run differently fast (DESIGN section 5, rule 1). */
  driftMargin: number;
  /** How long a mutation's answer may wait for its barrier, ms. */
  barrierLimitMs: number;
  /** Silence between two signs of life on the stream of versions, ms; after three of them a node connects anew. */
  keepAliveMs: number;
}

/** Source: DESIGN section 5, "Lease"; reference/api.md, "Mutations" (limit of the barrier: 2 × TTL). */
export const DEFAULT_LEASE_TIMING: LeaseTiming = leaseTiming({});

/** The times that follow from a TTL, with those that are given in their place. */
export function leaseTiming({ ttlMs = 3000, ...given }: Partial<LeaseTiming>): LeaseTiming {
  return { ttlMs, renewMs: ttlMs / 6, driftMargin: 0.05, barrierLimitMs: 2 * ttlMs, keepAliveMs: ttlMs / 3, ...given };
}
