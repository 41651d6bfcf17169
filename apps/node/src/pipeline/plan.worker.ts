import { parentPort } from 'node:worker_threads';
import { readPlan } from './read-plan';

parentPort?.on('message', ({ id, text }: { id: number; text: string }) => {
  parentPort?.postMessage({ id, plan: readPlan(text) });
});
