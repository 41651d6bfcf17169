import { DuckDBDataChunk } from '@duckdb/node-api';
import { JsonValue, jsonValue } from '@gadwall/engine';
import { AnswerHead, ResultWriter } from './writer';

/** RFC 4180: a header line, CRLF, quotes where needed; NULL is an empty field, an empty text is `""`. */
export class CsvWriter implements ResultWriter {
  readonly contentType = 'text/csv; charset=utf-8';

  head({ columns }: AnswerHead): Uint8Array {
    return line(columns.map(({ name }) => field(name)));
  }

  rows(chunk: DuckDBDataChunk, rows: number): Uint8Array {
    const columns = Array.from({ length: chunk.columnCount }, (_, i) => chunk.getColumnValues(i));
    const lines: Uint8Array[] = [];
    for (let row = 0; row < rows; row++)
      lines.push(line(columns.map((column) => field(jsonValue(column[row] ?? null)))));
    return Buffer.concat(lines);
  }

  tail(): Uint8Array {
    return new Uint8Array();
  }
}

function line(fields: string[]): Uint8Array {
  return Buffer.from(fields.length > 0 ? `${fields.join(',')}\r\n` : '');
}

function field(value: JsonValue): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
