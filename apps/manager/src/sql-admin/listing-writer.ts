import type { NodeStatement } from '@gadwall/rbac';
import type { Listing } from '@gadwall/sqladmin';
import type { Vector } from 'apache-arrow';

/** What stands beside the rows in a JSON answer. */
export interface ListingFrame {
  queryId: string;
  kind: string;
  policyVersion: { tenant: number; system: number };
  truncated: boolean;
  elapsedMs: number;
}

/** An answer's bytes with their media type, in the forms in which a node answers. */
export interface WrittenListing {
  contentType: string;
  bytes: Uint8Array;
}

/** Writes a result set in the format asked for. */
export async function writeListing(
  format: NodeStatement['format'],
  listing: Listing,
  frame: ListingFrame,
): Promise<WrittenListing> {
  switch (format) {
    case 'json':
      return { contentType: 'application/json; charset=utf-8', bytes: json(listing, frame) };
    case 'csv':
      return { contentType: 'text/csv; charset=utf-8', bytes: csv(listing) };
    case 'arrow':
      return { contentType: 'application/vnd.apache.arrow.stream', bytes: await arrow(listing) };
  }
}

function json({ columns, rows }: Listing, { queryId, kind, ...tail }: ListingFrame): Uint8Array {
  return Buffer.from(JSON.stringify({ queryId, kind, columns, rows, rowCount: rows.length, affected: null, ...tail }));
}

/** RFC 4180; NULL is an empty field, an empty text is `""`. */
function csv({ columns, rows }: Listing): Uint8Array {
  const lines = [columns.map(({ name }) => name), ...rows];
  return Buffer.from(lines.map((values) => `${values.map(csvField).join(',')}\r\n`).join(''));
}

function csvField(value: string | boolean | null): string {
  if (value === null) return '';
  const text = String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function arrow({ columns, rows }: Listing): Promise<Uint8Array> {
  // Takes a tenth of a second to load, and most managers are never asked for it.
  const { Bool, Table, tableToIPC, Utf8, vectorFromArray } = await import('apache-arrow');
  const vectors: Record<string, Vector> = {};
  columns.forEach(({ name, type }, i) => {
    const values = rows.map((row) => row[i] ?? null);
    vectors[name] = vectorFromArray(values, type === 'BOOLEAN' ? new Bool() : new Utf8());
  });
  return tableToIPC(new Table(vectors), 'stream');
}
