import { DuckDBDataChunk } from '@duckdb/node-api';
import { Field, makeData, RecordBatch, RecordBatchStreamWriter, Schema, Struct } from 'apache-arrow';
import { ArrowColumn, arrowColumn } from './arrow-columns';
import { AnswerHead, ResultWriter } from './writer';

/** The library's writer, with what it writes handed out as it comes: its own queue keeps everything. */
class DrainedWriter extends RecordBatchStreamWriter {
  private parts: Uint8Array[] = [];

  protected override _write(chunk: ArrayBufferView): this {
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.length > 0) {
      this.parts.push(bytes);
      this._position += bytes.length;
    }
    return this;
  }

  take(): Uint8Array {
    return Buffer.concat(this.parts.splice(0));
  }
}

/** An Arrow IPC stream, one record batch a chunk of the engine. */
export class ArrowWriter implements ResultWriter {
  readonly contentType = 'application/vnd.apache.arrow.stream';
  private readonly writer = new DrainedWriter({ autoDestroy: false });
  private columns: ArrowColumn[] = [];
  private schema = new Schema([]);

  head({ columns }: AnswerHead): Uint8Array {
    this.columns = columns.map(({ type }) => arrowColumn(type));
    this.schema = new Schema(this.columns.map(({ type }, i) => new Field(columns[i]?.name ?? '', type, true)));
    this.writer.reset(undefined, this.schema);
    return this.writer.take();
  }

  rows(chunk: DuckDBDataChunk, rows: number): Uint8Array {
    const children = this.columns.map((column, i) => column.data(chunk.getColumnValues(i).slice(0, rows)));
    const struct = makeData({ type: new Struct(this.schema.fields), length: rows, nullCount: 0, children });
    this.writer.write(new RecordBatch(this.schema, struct));
    return this.writer.take();
  }

  tail(): Uint8Array {
    this.writer.finish();
    return this.writer.take();
  }
}
