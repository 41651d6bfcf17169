import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalData, eventHash } from './hash';

describe('eventHash', () => {
  const text = fc.string({ unit: 'grapheme' });

  it('is SHA-256 over the RFC 8785 form of the event without its position', () => {
    const event = fc.record({
      stream: text,
      version: fc.integer({ min: 1 }),
      id: fc.uuid(),
      type: text,
      schema: fc.integer({ min: 1 }),
      data: fc.dictionary(text, fc.jsonValue()),
      actor: fc.option(text),
      actorKind: fc.constantFrom('superuser', 'user', 'api-key', 'system'),
      requestId: text,
      causationId: fc.option(text),
      at: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }),
      prevHash: text,
    });
    fc.assert(
      fc.property(event, ({ stream, ...rest }) => {
        const expected = createHash('sha256')
          .update(canonicalize({ tenant: stream, ...rest }) ?? '')
          .digest('hex');
        expect(eventHash({ ...rest, stream, data: canonicalData(rest.data) })).toBe(expected);
      }),
    );
  });
});

describe('canonicalData', () => {
  it('sorts members by UTF-16 code units and writes numbers as ECMAScript does', () => {
    expect(canonicalData({ '\u{1F600}': 1, '\uFB33': 2, a: 1e21, A: -0, z: 0.1 })).toBe(
      '{"A":0,"a":1e+21,"z":0.1,"\u{1F600}":1,"\uFB33":2}',
    );
  });

  it('knows an unpaired surrogate from a backslash before the same letters', () => {
    expect(canonicalData({ s: '\\ud800', t: '\u{1F600}' })).toBe('{"s":"\\\\ud800","t":"\u{1F600}"}');
    for (const s of ['\ud800', '\\\ud800', 'x\udc00']) expect(() => canonicalData({ s })).toThrow('surrogate');
    expect(() => canonicalData({ ['\udfff']: 1 })).toThrow('surrogate');
  });
});
