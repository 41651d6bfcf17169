import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new session token: 256 random bits. The prefix lets secret scanners find one that leaked. */
export function newSessionToken(): string {
  return `gws_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a token: it identifies the session and lets nobody in. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares two secrets in a time that depends on neither. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
