import { join, sep } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DomainError } from '@gadwall/rbac';
import { type Given, readerOf, Reading, READERS } from './readings';

/** Characters up to which a text is read on the JS thread: a few milliseconds (DESIGN invariant 16). */
const INLINE_LIMIT = 256 * 1024;

/** What each text is called in a message. */
const NAMES = {
  plan: 'plan',
  governed: 'plan',
  template: 'plan',
  listing: 'plan',
  sealed: 'plan',
  tree: 'tree',
} as const;

type Of<K extends keyof typeof READERS> = ReturnType<(typeof READERS)[K]>;

/**
 * Reads the JSON that the engine writes of plans and syntax trees: small ones here, large ones in a worker, so that none
 * holds up the other statements of the node.
 */
export class JsonReader {
  private worker: Worker | null = null;
  private next = 0;
  private readonly waiting = new Map<number, { resolve: (reading: Reading) => void; reject: (error: Error) => void }>();

  /** `text` null: the engine found it larger than the node reads. @throws DomainError `statement_too_large` */
  async read<K extends keyof typeof READERS>(kind: K, text: string | null, ...given: Given<K>): Promise<Of<K>> {
    if (text === null)
      throw new DomainError('statement_too_large', { detail: `the ${NAMES[kind]} of this statement is too large` });
    if (text.length <= INLINE_LIMIT) return readerOf(kind)(text, ...given) as Of<K>;
    const worker = (this.worker ??= this.start());
    const id = this.next++;
    const reading = await new Promise<Reading>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, kind, text, given });
    });
    return reading as Of<K>;
  }

  private start(): Worker {
    const worker = new Worker(workerFile());
    worker.unref();
    worker.on('message', ({ id, reading }: { id: number; reading: Reading }) => {
      this.waiting.get(id)?.resolve(reading);
      this.waiting.delete(id);
    });
    worker.on('error', () => this.fail());
    return worker;
  }

  /** What the worker cannot read is not described. */
  private fail(): void {
    this.worker = null;
    for (const { reject } of this.waiting.values()) reject(new DomainError('internal'));
    this.waiting.clear();
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
    this.worker = null;
  }
}

/** A worker is started from JavaScript: beside this file in a build, in the build when this runs as TypeScript. */
function workerFile(): string {
  if (__filename.endsWith('.js')) return join(__dirname, 'json.worker.js');
  const root = __dirname.slice(0, __dirname.lastIndexOf(`${sep}libs${sep}`));
  return join(root, 'dist', 'libs', 'engine', 'src', 'duckdb', 'json.worker.js');
}
