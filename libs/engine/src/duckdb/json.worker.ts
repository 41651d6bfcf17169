import { parentPort } from 'node:worker_threads';
import { READERS } from './readings';

parentPort?.on('message', ({ id, kind, text }: { id: number; kind: keyof typeof READERS; text: string }) => {
  parentPort?.postMessage({ id, reading: READERS[kind](text) });
});
