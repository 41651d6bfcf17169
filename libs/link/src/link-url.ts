/** Addresses that stand for all of a machine: who is on it gets there over the loopback. */
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL of who listens on a host and port. */
export function linkUrl(tls: boolean, host: string, port: number): string {
  const named = ANY[host] ?? host;
  return `${tls ? 'https' : 'http'}://${named.includes(':') ? `[${named}]` : named}:${port}`;
}
