import type { RenewalAnswer, RenewalRequest, StreamHead } from './messages';

/** A request for a lease with the streams that the node serves. */
export interface Renewal {
  request: RenewalRequest;
  streams: readonly string[];
}

/** The table of leases as renewals need it. */
export interface LeaseTable {
  /** Commits the rows, durably, each with its counter moved. */
  write(renewals: readonly Renewal[]): Promise<void>;
  /** The heads of streams now, with the timeline they are of. */
  read(streams: readonly string[]): Promise<{ timeline: string; heads: readonly StreamHead[] }>;
}

/**
 * Grants leases, many at once: the rows are committed first and the versions read after, so that a mutation that commits in
 * between either is seen here or sees the row (DESIGN section 5, rule 2).
 */
export async function grantLeases(table: LeaseTable, renewals: readonly Renewal[]): Promise<RenewalAnswer[]> {
  await table.write(renewals);
  const { timeline, heads } = await table.read([...new Set(renewals.flatMap(({ streams }) => streams))]);
  return renewals.map(({ request: { nodeId, nonce }, streams }) => ({
    nodeId,
    nonce,
    timeline,
    heads: heads.filter(({ stream }) => streams.includes(stream)),
  }));
}
