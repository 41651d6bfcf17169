import { Readable } from 'node:stream';
import { policyVersionHeader } from '../mutation';
import { type AdministrationAnswer, writeListing } from '../sql-admin';
import type { ResultFormat, StatementStream } from './statement-call';

/**
 * The answer of the administration dialect as that of a node would be: in the format asked for, cut at the limit of rows.
 *
 * @param start of the statement, on the clock of `performance.now()`
 */
export async function administrationStream(
  { kind, listing, versions, effective }: AdministrationAnswer,
  { queryId, format, maxRows, start }: { queryId: string; format: ResultFormat; maxRows: number | null; start: number },
): Promise<StatementStream> {
  const rows = listing.rows.slice(0, maxRows ?? undefined);
  const truncated = rows.length < listing.rows.length;
  const elapsedMs = Math.round((performance.now() - start) * 1000) / 1000;
  const frame = { queryId, kind, policyVersion: versions, truncated, elapsedMs };
  const { contentType, bytes } = await writeListing(format, { ...listing, rows }, frame);
  return {
    contentType,
    effective,
    policyVersion: policyVersionHeader(versions),
    body: Readable.from([bytes], { objectMode: false }),
    isTruncated: () => truncated,
  };
}
