import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port';
import { API_KEY, PASSWORD } from './manager';

const MAIN = join(__dirname, '../../dist/apps/manager/src/main.js');

/** A built manager in a process of its own, with its nodes: one that can be killed. */
export class GadwallProcess {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'gadwall-process-'));
  private child: ChildProcess | null = null;
  private ended: Promise<void> = Promise.resolve();
  private port = 0;

  /** @param databaseUrl null = the embedded server */
  constructor(private readonly databaseUrl: string | null) {}

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it, always at the same port; resolves when it serves. */
  async start(): Promise<void> {
    if (this.port === 0) this.port = await freePort();
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...process.env,
        GADWALL_PORT: String(this.port),
        GADWALL_DATA_DIR: this.dataDir,
        GADWALL_API_KEY: API_KEY,
        GADWALL_ADMIN_PASSWORD: PASSWORD,
        GADWALL_LOG_LEVEL: 'warn',
        GADWALL_NODE_THREADS: '1',
        GADWALL_NODE_MEMORY_LIMIT: '512MB',
        ...(this.databaseUrl === null ? {} : { DATABASE_URL: this.databaseUrl }),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    this.ended = new Promise((resolve) => child.once('close', () => resolve()));
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stderr }).on('line', (line) => {
        said.push(line);
        if (line.includes('serving at')) resolve();
      });
      child.once('exit', () => reject(new Error(`the manager ended: ${said.join('\n')}`)));
    });
  }

  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  async stop(): Promise<void> {
    this.child?.kill('SIGTERM');
    await this.ended;
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
