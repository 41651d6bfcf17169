import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Whether a host is this machine alone: an address of the loopback, as a URL writes it too (`[::1]`), or `localhost`
 * (RFC 6761 6.3). Any other name may be anywhere.
 */
export function isLoopback(host: string): boolean {
  // An IPv4 address as a socket that takes both families writes it is `::ffff:127.0.0.1`.
  const bare = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/, '');
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  const family = isIP(bare);
  return family !== 0 && LOOPBACK.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}
