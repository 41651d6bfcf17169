import { mayScrape } from '.';

test.each([
  ['127.0.0.1', undefined, null, true],
  ['::1', undefined, 'secret', true],
  ['10.0.0.7', undefined, null, false],
  ['10.0.0.7', undefined, 'secret', false],
  ['10.0.0.7', 'Bearer wrong', 'secret', false],
  ['10.0.0.7', 'secret', 'secret', false],
  ['10.0.0.7', 'Bearer null', null, false],
  ['10.0.0.7', 'Bearer secret', 'secret', true],
])('%s with %s, where the token is %s: %s', (caller, authorization, token, may) => {
  expect(mayScrape(caller, authorization, token)).toBe(may);
});
