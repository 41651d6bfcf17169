import { parentPort } from 'node:worker_threads';
import { readerOf, READERS } from './readings';

/** `given` as the reader of that kind takes it. */
interface Message {
  id: number;
  kind: keyof typeof READERS;
  text: string;
  given: unknown[];
}

parentPort?.on('message', ({ id, kind, text, given }: Message) => {
  parentPort?.postMessage({ id, reading: readerOf(kind)(text, ...given) });
});
