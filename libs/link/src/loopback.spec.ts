import { isLoopback, isUnprotected, linkUrl, type TlsMode, usesTls } from '.';

test.each(['127.0.0.1', '127.8.9.1', '::1', '[::1]', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST', 'a.localhost'])(
  '%s is this machine alone',
  (host) => {
    expect(isLoopback(host)).toBe(true);
    const uses = (mode: TlsMode) => [usesTls(mode, host, false), usesTls(mode, host, true)];
    expect([uses('auto'), uses('on'), uses('off')]).toEqual([
      [false, true],
      [true, true],
      [false, false],
    ]);
    expect(isUnprotected('off', host)).toBe(false);
  },
);

test.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '127.1', '127.0.0.1.evil.test', '::ffff:10.0.0.1', 'manager', ''])(
  '%j may be anywhere',
  (host) => {
    expect(isLoopback(host)).toBe(false);
    expect([usesTls('auto', host, false), usesTls('on', host, false)]).toEqual([true, true]);
    expect([isUnprotected('off', host), isUnprotected('auto', host)]).toEqual([true, false]);
  },
);

test.each([
  [false, '127.0.0.1', 'http://127.0.0.1:80'],
  [true, '10.0.0.1', 'https://10.0.0.1:80'],
  [true, '0.0.0.0', 'https://127.0.0.1:80'],
  [true, '::', 'https://[::1]:80'],
  [true, 'manager.test', 'https://manager.test:80'],
])('tls %s at %s is reached at %s', (tls, host, url) => {
  expect(linkUrl(tls, host, 80)).toBe(url);
});
