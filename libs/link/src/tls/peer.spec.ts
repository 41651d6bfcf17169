import { type AddressInfo, createServer as createPlain } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { Agent, request } from 'undici';
import { type Authority, issue, makeAuthority } from '../../../../test/support/certificates';
import { type Certificate, connectorTo, fingerprintOf, makeCertificate, tlsServer } from '..';

const HELLO = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi';

/** A server that says what reached it. */
class Door {
  readonly heard: string[] = [];
  readonly reused: boolean[] = [];
  readonly protocols: (string | null)[] = [];

  private constructor(readonly server: Server) {
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket: TLSSocket) => {
      this.reused.push(socket.isSessionReused());
      this.protocols.push(socket.getProtocol());
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        this.heard.push(String(bytes));
        socket.end(HELLO);
      });
    });
  }

  static async open(certificate: Certificate, more = {}): Promise<Door> {
    const server = createServer({ ...tlsServer(certificate), ...more });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Door(server);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

const doors: Door[] = [];
const open = async (certificate: Certificate, more = {}) => {
  const door = await Door.open(certificate, more);
  doors.push(door);
  return door;
};
afterEach(() => Promise.all(doors.splice(0).map((door) => door.close())));

/** What comes of one request with a secret in it. */
async function ask(agent: Agent, url: string): Promise<string> {
  try {
    const answer = await request(url, { dispatcher: agent, method: 'POST', body: 'secret' });
    return await answer.body.text();
  } catch (error) {
    return (error as Error).message;
  }
}

const agentFor = (url: string, { fingerprint = null as string | null, ca = null as string | null }) =>
  new Agent({ connect: connectorTo({ url, fingerprint, ca }) });

describe('a certificate of its own making, known by its fingerprint', () => {
  let own: Certificate;
  let impostor: Certificate;
  beforeAll(async () => {
    [own, impostor] = [await makeCertificate(), await makeCertificate()];
  });

  it('is talked to', async () => {
    const door = await open(own);
    expect(await ask(agentFor(door.url, { fingerprint: fingerprintOf(own.cert) }), door.url)).toBe('hi');
    expect(door.protocols).toEqual(['TLSv1.3']);
  });

  it('is talked to over TLS 1.2 by one who has no newer', async () => {
    const door = await open(own, { maxVersion: 'TLSv1.2' });
    expect(await ask(agentFor(door.url, { fingerprint: fingerprintOf(own.cert) }), door.url)).toBe('hi');
    expect(door.protocols).toEqual(['TLSv1.2']);
  });

  it.each(['TLSv1.2', 'TLSv1.3'])('another one hears nothing (%s)', async (maxVersion) => {
    const door = await open(impostor, { maxVersion });
    const said = await ask(agentFor(door.url, { fingerprint: fingerprintOf(own.cert) }), door.url);
    expect(said).toBe(`the certificate at ${door.url} is not the one that was promised`);
    expect(door.heard).toEqual([]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'])(
    'is looked at on every connection, and no session goes on (%s)',
    async (maxVersion) => {
      const door = await open(own, { maxVersion });
      const agent = agentFor(door.url, { fingerprint: fingerprintOf(own.cert) });
      expect([await ask(agent, door.url), await ask(agent, door.url)]).toEqual(['hi', 'hi']);
      expect(door.reused).toEqual([false, false]);
      door.server.setSecureContext({ ...tlsServer(impostor), maxVersion: maxVersion as 'TLSv1.2' });
      expect(await ask(agent, door.url)).toContain('not the one that was promised');
      expect(door.heard).toHaveLength(2);
    },
  );

  it('is not taken from one who speaks no TLS', async () => {
    const plain = createPlain((socket) => socket.end(HELLO));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}`;
    expect(await ask(agentFor(url, { fingerprint: fingerprintOf(own.cert) }), url)).not.toBe('hi');
    plain.close();
  });
});

describe('a given certificate, verified in the ordinary way', () => {
  let authority: Authority;
  beforeAll(async () => {
    authority = await makeAuthority();
  });
  const heardBy = async (certificate: Certificate, ca: string | null) => {
    const door = await open(certificate);
    const said = await ask(agentFor(door.url, { ca }), door.url);
    return { said, heard: door.heard.length };
  };

  it('is talked to when its authority is trusted and it is for the host', async () => {
    expect(await heardBy(await issue(authority, '127.0.0.1'), authority.cert)).toEqual({ said: 'hi', heard: 1 });
  });

  it.each<[string, () => Promise<[Certificate, string | null]>, string]>([
    ['of another host', async () => [await issue(authority, 'elsewhere.test'), authority.cert], 'does not match'],
    [
      'of another authority',
      async () => [await issue(authority, '127.0.0.1'), (await makeAuthority('another')).cert],
      'unable to',
    ],
    ['of an authority that nobody named', async () => [await issue(authority, '127.0.0.1'), null], 'unable to'],
    ['of its own making', async () => [await makeCertificate(), null], 'self-signed'],
    [
      'that has expired',
      async () => [
        await issue(authority, '127.0.0.1', { notBeforeDate: new Date(0), notAfterDate: new Date(1e12) }),
        authority.cert,
      ],
      'expired',
    ],
  ])('one %s hears nothing', async (_, made, message) => {
    const outcome = await heardBy(...(await made()));
    expect(outcome).toEqual({ said: expect.stringContaining(message) as string, heard: 0 });
  });
});

describe('without TLS', () => {
  it('goes on the loopback', () => {
    expect(connectorTo({ url: 'http://127.0.0.1:1', fingerprint: null, ca: null })).toBeUndefined();
  });

  it('goes nowhere else', () => {
    const connect = () => connectorTo({ url: 'http://10.0.0.1:1', fingerprint: null, ca: null });
    expect(connect).toThrow('http://10.0.0.1:1 is not on this machine, and speaks no TLS');
  });

  it('goes nowhere where a certificate was promised', () => {
    const connect = () => connectorTo({ url: 'http://127.0.0.1:1', fingerprint: 'AB', ca: null });
    expect(connect).toThrow('promised a certificate');
  });
});
