import { leaseTiming, type StreamHead } from '@gadwall/events';
import type { ManagerConfig } from '../config';
import { Acknowledgements } from './acknowledgements';
import { Barriers } from './barriers';
import type { PostgresLeaseTable } from './lease-table';
import type { StoreWatch } from './store-watch';
import type { Versions } from './versions';

const head = (version: number): StreamHead => ({ stream: 'acme', version, hash: `h${version}` });
const leases = leaseTiming({});

/** The barriers of a manager whose leases, of one node `n1`, are read when `read` is called. */
function managerWith() {
  let read: () => void = () => undefined;
  const row = { nodeId: 'n1', streams: ['acme', '$system'], counter: 1, known: [head(4)], renewedAt: new Date() };
  const table = { leases: () => new Promise((resolve) => (read = () => resolve({ rows: [row] }))) };
  const acknowledgements = new Acknowledgements();
  const barriers = new Barriers(
    table as unknown as PostgresLeaseTable,
    { see: () => undefined, settled: () => true } as unknown as StoreWatch,
    { hashOf: () => undefined, load: () => Promise.resolve() } as unknown as Versions,
    acknowledgements,
    { leases } as ManagerConfig,
  );
  return { barriers, acknowledgements, read: () => read() };
}

describe('a change is in force as soon as the node has said that it applied it', () => {
  test('before anybody waited for it', async () => {
    const { barriers, acknowledgements, read } = managerWith();
    acknowledgements.add('n1', [head(5)]);
    const { settled } = barriers.open([head(5)]);
    read();
    expect(await settled).toMatchObject({ effective: true, nodes: [{ nodeId: 'n1', state: 'acknowledged' }] });
  });

  test('while the leases are read, whatever older word of the node comes after it', async () => {
    const { barriers, acknowledgements, read } = managerWith();
    const { settled } = barriers.open([head(5)]);
    acknowledgements.add('n1', [head(5)]);
    acknowledgements.add('n1', [head(4)]);
    read();
    const { effective, waitedMs } = await settled;
    expect(effective).toBe(true);
    expect(waitedMs).toBeLessThan(leases.renewMs / 2);
  });

  test('but the word of a process that has ended says nothing of the one that came after it', async () => {
    const { barriers, acknowledgements, read } = managerWith();
    const wait = barriers.open([head(5)]);
    acknowledgements.add('n1', [head(5)]);
    acknowledgements.end('n1');
    read();
    await new Promise(setImmediate);
    expect(wait.report()).toMatchObject({ effective: false, nodes: [{ nodeId: 'n1', state: 'outstanding' }] });
    acknowledgements.end('n1');
  });

  test('after the leases were read', async () => {
    const { barriers, acknowledgements, read } = managerWith();
    const wait = barriers.open([head(5)]);
    read();
    await new Promise(setImmediate);
    expect(wait.report()).toMatchObject({ effective: false, nodes: [{ nodeId: 'n1', state: 'outstanding' }] });
    acknowledgements.add('n1', [head(4)]);
    await new Promise(setImmediate);
    expect(wait.report().effective).toBe(false);
    acknowledgements.add('n1', [head(5)]);
    expect((await wait.settled).effective).toBe(true);
  });
});
