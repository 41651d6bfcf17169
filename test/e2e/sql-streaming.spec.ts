import { type IncomingMessage, request as httpRequest } from 'node:http';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { tableFromIPC } from 'apache-arrow';
import { API_KEY, startManager, TestManager } from '../support/manager';

/** Rows stream in constant memory, at the pace of their reader, through the node and the manager. */
let manager: TestManager;

beforeAll(async () => {
  manager = await startManager({ nodes: { start: true, drainMs: 10_000, threads: 1, memoryLimit: '512MB' } });
  await manager.root.done('/api/tenant/create', { id: 'acme', displayName: 'acme' });
  await manager.root.done('/api/database/create', { tenant: 'acme', name: 'db', kind: 'memory' });
  await manager.root.done('/api/pool/create', {
    tenant: 'acme',
    tenantDb: 'db',
    pool: 'bi',
    size: 1,
    maxConcurrentPerNode: 2,
  });
  await manager.root.post('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SELECT 1' });
}, 60_000);

afterAll(() => manager.stop());

/** Opens a statement and hands out its answer as a stream. */
function open(sql: string, accept: string, maxRows?: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${manager.url}/api/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, 'x-api-key': API_KEY },
    });
    sent.on('response', resolve).on('error', reject);
    sent.end(JSON.stringify({ tenant: 'acme', pool: 'bi', sql, maxRows }));
  });
}

/** Resident memory of the node process, MB. */
function nodeMemory(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
  const node = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('apps/node/src/main.js'));
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node}/status`, 'utf8'))?.[1];
  return Number(rss) / 1024;
}

test.each([['text/csv'], ['application/vnd.apache.arrow.stream']])(
  '5,000,000 rows as %s: the node stays flat',
  async (accept) => {
    await drain(await open('SELECT range AS i, range % 7 AS m FROM range(200000)', accept));
    const before = nodeMemory();
    let worst = 0;
    const answer = await open('SELECT range AS i, range % 7 AS m FROM range(5000000)', accept);
    let bytes = 0;
    let looked = 0;
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes - looked > 4_000_000) {
        looked = bytes;
        worst = Math.max(worst, nodeMemory());
      }
    }
    expect(bytes).toBeGreaterThan(40_000_000);
    expect(worst - before).toBeLessThan(200);
  },
  120_000,
);

const FORMATS = ['application/json', 'text/csv', 'application/vnd.apache.arrow.stream'];
const BILLION = 'SELECT * FROM range(1e9::BIGINT)';

test.each(FORMATS)(
  'B-416: a billion rows for a slow reader stream as %s, and memory stays flat',
  async (accept) => {
    const answer = await open(BILLION, accept);
    let taken = 0;
    answer.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      answer.pause();
      setTimeout(() => answer.resume(), 5);
    });
    const memory = () => [nodeMemory(), process.memoryUsage().rss / 2 ** 20];
    await delay(1_000);
    const before = memory();
    await delay(3_000);
    expect(taken).toBeGreaterThan(1_000_000);
    expect(memory().every((now, i) => now - (before[i] ?? 0) < 100)).toBe(true);
    answer.destroy();
  },
  30_000,
);

test.each(FORMATS)('B-416: a limit of rows ends an answer as %s, which says so', async (accept) => {
  const cut = await open(BILLION, accept, 10_000);
  const body = await drain(cut);
  expect(cut.trailers).toEqual({ 'gadwall-truncated': 'true' });
  if (accept === 'application/json')
    expect(JSON.parse(body.toString())).toMatchObject({ truncated: true, rowCount: 10_000 });
  const whole = await open('SELECT * FROM range(10000)', accept, 10_000);
  await drain(whole);
  expect(whole.trailers).toEqual({ 'gadwall-truncated': 'false' });
});

test('a reader that stops is not run ahead of', async () => {
  const answer = await open("SELECT repeat('x', 100 + i % 2) AS t FROM range(20000000) r(i)", 'text/csv');
  answer.pause();
  await delay(300);
  const before = nodeMemory();
  await delay(1500);
  expect(nodeMemory() - before).toBeLessThan(60);
  answer.destroy();
  // The slot of a client that went away is free again.
  for (let i = 0; i < 3; i++) {
    const next = await manager.root.post('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SELECT 1 AS a' });
    expect(next.status).toBe(200);
  }
}, 30_000);

test('an Arrow stream of many batches is read as one table', async () => {
  const answer = await open(
    "SELECT range AS i, 'row ' || range AS t FROM range(100000)",
    'application/vnd.apache.arrow.stream',
  );
  const table = tableFromIPC(await drain(answer));
  expect(table.numRows).toBe(100_000);
  expect(table.get(99_999)?.toJSON()).toEqual({ i: 99_999n, t: 'row 99999' });
});

test('an error among the rows breaks the answer off, so that nobody takes half of it for all', async () => {
  const answer = await open(
    "SELECT CASE WHEN i = 900000 THEN ('x' || i)::INT ELSE 1 END AS a FROM range(1000000) r(i)",
    'application/json',
  );
  expect(answer.statusCode).toBe(200);
  await expect(drain(answer)).rejects.toThrow();
});

async function drain(answer: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

test('the pool’s limit of statements at once answers 429', async () => {
  const slow = await Promise.all([1, 2].map(() => open('SELECT * FROM range(50000000)', 'text/csv')));
  slow.forEach((answer) => answer.pause());
  const third = await manager.root.post('/api/sql', { tenant: 'acme', pool: 'bi', sql: 'SELECT 1' });
  expect(third.status).toBe(429);
  expect(third.body).toMatchObject({ error: 'too_many_statements', retryable: true });
  slow.forEach((answer) => answer.destroy());
});
