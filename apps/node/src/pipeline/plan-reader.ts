import { join, sep } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DomainError } from '@gadwall/rbac';
import { PlanAccesses } from '@gadwall/rewriters';
import { ReadPlan, readPlan } from './read-plan';

/** Characters of a plan up to which it is read on the JS thread: a few milliseconds (DESIGN invariant 16). */
const INLINE_LIMIT = 256 * 1024;

/** Reads plans: small ones here, large ones in a worker, so that none holds up the other statements of the node. */
export class PlanReader {
  private worker: Worker | null = null;
  private next = 0;
  private readonly waiting = new Map<number, { resolve: (plan: ReadPlan) => void; reject: (error: Error) => void }>();

  async read(text: string | null): Promise<ReadPlan> {
    if (text === null)
      throw new DomainError('statement_too_large', { detail: 'the plan of this statement is too large' });
    return text.length <= INLINE_LIMIT ? readPlan(text) : this.inWorker(text);
  }

  private inWorker(text: string): Promise<ReadPlan> {
    const worker = (this.worker ??= this.start());
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, text });
    });
  }

  private start(): Worker {
    const worker = new Worker(workerFile());
    worker.unref();
    worker.on('message', ({ id, plan }: { id: number; plan: ReadPlan }) => {
      this.waiting.get(id)?.resolve(plan);
      this.waiting.delete(id);
    });
    worker.on('error', () => this.fail());
    return worker;
  }

  /** A plan that the worker cannot read is not described. */
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
  if (__filename.endsWith('.js')) return join(__dirname, 'plan.worker.js');
  const root = __dirname.slice(0, __dirname.lastIndexOf(`${sep}apps${sep}`));
  return join(root, 'dist', 'apps', 'node', 'src', 'pipeline', 'plan.worker.js');
}

export type { PlanAccesses };
