import { LeaseKeeper } from '../lease';
import { EventLoop, HealthController } from '.';

const loop = new EventLoop();
const health = new HealthController(new LeaseKeeper('n1'), loop);
afterAll(() => loop.stop());

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('%s is told all', (caller) => {
  const all = { nodeId: 'n1', lease: 'lapsed', versions: {}, refusedForLease: 0, loopDelay: null };
  expect(health.health(caller)).toEqual(all);
});

test.each(['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1'])('%s is told whether the node serves', (caller) => {
  expect(health.health(caller)).toEqual({ lease: 'lapsed' });
});
