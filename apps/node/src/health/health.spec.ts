import { LeaseKeeper } from '../lease';
import { HealthController } from '.';

const health = new HealthController(new LeaseKeeper('n1'));

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('%s is told all', (caller) => {
  expect(health.health(caller)).toEqual({ nodeId: 'n1', lease: 'lapsed', versions: {}, refusedForLease: 0 });
});

test.each(['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1'])('%s is told whether the node serves', (caller) => {
  expect(health.health(caller)).toEqual({ lease: 'lapsed' });
});
