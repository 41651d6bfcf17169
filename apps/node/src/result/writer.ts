import { DuckDBDataChunk } from '@duckdb/node-api';
import { ResultColumn } from '@gadwall/engine';

/** What is known of an answer before its rows, and after them. */
export interface AnswerHead {
  queryId: string;
  kind: string;
  columns: ResultColumn[];
}

export interface AnswerTail {
  rowCount: number;
  affected: number | null;
  truncated: boolean;
  policyVersion: { tenant: number; system: number };
  elapsedMs: number;
}

/** Turns chunks into bytes of one format, one chunk at a time: memory does not grow with the result. */
export interface ResultWriter {
  readonly contentType: string;
  head(head: AnswerHead): Uint8Array;
  /** The first `rows` rows of a chunk. */
  rows(chunk: DuckDBDataChunk, rows: number): Uint8Array;
  tail(tail: AnswerTail): Uint8Array;
}
