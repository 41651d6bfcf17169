import { DuckDBDataChunk } from '@duckdb/node-api';
import { jsonValue, typeName } from '@gadwall/engine';
import { AnswerHead, AnswerTail, ResultWriter } from './writer';

export class JsonWriter implements ResultWriter {
  readonly contentType = 'application/json; charset=utf-8';
  private first = true;

  head({ queryId, kind, columns }: AnswerHead): Uint8Array {
    const shown = columns.map(({ name, type }) => ({ name, type: typeName(type) }));
    const fields = JSON.stringify({ queryId, kind, columns: shown });
    return Buffer.from(`${fields.slice(0, -1)},"rows":[`);
  }

  rows(chunk: DuckDBDataChunk, rows: number): Uint8Array {
    const columns = Array.from({ length: chunk.columnCount }, (_, i) => chunk.getColumnValues(i));
    const lines: string[] = [];
    for (let row = 0; row < rows; row++) {
      lines.push(JSON.stringify(columns.map((column) => jsonValue(column[row] ?? null))));
    }
    const text = (this.first || lines.length === 0 ? '' : ',') + lines.join(',');
    if (lines.length > 0) this.first = false;
    return Buffer.from(text);
  }

  tail(tail: AnswerTail): Uint8Array {
    return Buffer.from(`],${JSON.stringify(tail).slice(1)}`);
  }
}
