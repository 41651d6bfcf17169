import { isLoopback } from '../loopback';

/** `auto`: TLS unless the address is of the loopback and no certificate is given. */
export const TLS_MODES = ['auto', 'on', 'off'] as const;

export type TlsMode = (typeof TLS_MODES)[number];

/** Whether who listens on a host speaks TLS there; `given`: with a certificate that an operator chose. */
export function usesTls(mode: TlsMode, host: string, given: boolean): boolean {
  return mode === 'on' || (mode === 'auto' && (given || !isLoopback(host)));
}

/** `off` is for the loopback alone: anywhere else statements and their rows could be read on the way. */
export function isUnprotected(mode: TlsMode, host: string): boolean {
  return mode === 'off' && !isLoopback(host);
}
