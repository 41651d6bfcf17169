import { ArrowWriter } from './arrow-writer';
import { CsvWriter } from './csv-writer';
import { JsonWriter } from './json-writer';
import { ResultWriter } from './writer';

export type { AnswerTail, ResultWriter } from './writer';

/** The formats of an answer, by their media type. */
export type ResultFormat = 'json' | 'csv' | 'arrow';

export function resultWriter(format: ResultFormat): ResultWriter {
  switch (format) {
    case 'json':
      return new JsonWriter();
    case 'csv':
      return new CsvWriter();
    case 'arrow':
      return new ArrowWriter();
  }
}
