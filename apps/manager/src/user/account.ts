import type { Queryable } from '@gadwall/events';
import { DomainError, isUsername, type PolicyEvent, type UserKind } from '@gadwall/rbac';
import { isEmail } from 'class-validator';
import { revokeSessions } from '../auth';

/** A name to log in with, in one Unicode form, so that two that look alike are one. */
export function usernameOf(text: string): string {
  const username = text.normalize('NFC');
  if (!isUsername(username)) {
    throw new DomainError('invalid_user', { detail: 'username must be printable text of at most 255 characters' });
  }
  return username;
}

/** The kind that a request names; undefined when it names none. */
export function kindOf(kind: string | null | undefined): UserKind | undefined {
  if (kind === null || kind === undefined) return undefined;
  if (kind !== 'user' && kind !== 'admin') {
    throw new DomainError('invalid_user', { detail: 'kind must be user or admin' });
  }
  return kind;
}

/** An e-mail address, null for none. */
export function emailOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === '') return null;
  if (!isEmail(text)) throw new DomainError('invalid_email');
  return text;
}

/** Refuses a password that no login would take. */
export function requirePassword(password: string): string {
  if (password.trim() === '') throw new DomainError('invalid_user', { detail: 'the password must not be blank' });
  return password;
}

/** The id of the account of that name in a realm (null = superusers); null when there is none. */
export async function findAccount(db: Queryable, tenant: string | null, username: string): Promise<string | null> {
  const { rows } = await db.query<{ user_id: string }>(
    'SELECT user_id FROM user_profile WHERE current AND tenant IS NOT DISTINCT FROM $1 AND username = $2',
    [tenant, username],
  );
  return rows[0]?.user_id ?? null;
}

/** What a command gives for the side tables; what is absent stays as it is. */
export interface AccountSecrets {
  /** Of a new account. */
  username?: string;
  /** null = none. */
  email?: string | null;
  passwordHash?: string | null;
}

/**
 * Writes the side rows that the events on accounts refer to, in their transaction: names, addresses, passwords. A new
 * password, a lock and a deletion end the sessions that were opened before.
 *
 * @param tenant null = superusers
 */
export async function keepBesideEvents(
  db: Queryable,
  tenant: string | null,
  events: readonly PolicyEvent[],
  { username, email = null, passwordHash = null }: AccountSecrets,
): Promise<void> {
  for (const { type, data } of events) {
    if (type === 'user.created') {
      if (username === undefined || passwordHash === null) throw new Error('an account without a name or a password');
      await storeAccount(db, tenant, data.userId, { username, email, passwordHash });
    }
    if (type === 'user.credential-changed' && passwordHash !== null) {
      await storePassword(db, data.userId, data.credentialVersion, passwordHash);
      await revokeSessions(db, data.userId);
    }
    if (type === 'user.disabled') await revokeSessions(db, data.userId);
    if (type === 'user.profile-changed') await storeEmail(db, data.userId, data.profileVersion, email);
    if (type === 'user.deleted') await forgetAccount(db, data.userId);
  }
}

/** Writes the side rows of a new account, of version 1 both. */
export async function storeAccount(
  db: Queryable,
  tenant: string | null,
  userId: string,
  { username, email, passwordHash }: { username: string; email: string | null; passwordHash: string },
): Promise<void> {
  await db.query('INSERT INTO user_profile (user_id, version, tenant, username, email) VALUES ($1, 1, $2, $3, $4)', [
    userId,
    tenant,
    username,
    email,
  ]);
  await storePassword(db, userId, 1, passwordHash);
}

/** Writes a password's hash as that version. */
async function storePassword(db: Queryable, userId: string, version: number, hash: string): Promise<void> {
  await db.query('INSERT INTO user_credential (user_id, version, password_hash, created_at) VALUES ($1, $2, $3, $4)', [
    userId,
    version,
    hash,
    new Date(),
  ]);
  await db.query('DELETE FROM user_credential WHERE user_id = $1 AND version < $2', [userId, version]);
}

/** Writes a profile with another e-mail address as that version. */
async function storeEmail(db: Queryable, userId: string, version: number, email: string | null): Promise<void> {
  await db.query('UPDATE user_profile SET current = false WHERE user_id = $1', [userId]);
  await db.query(
    `INSERT INTO user_profile (user_id, version, tenant, username, email)
     SELECT user_id, $2, tenant, username, $3 FROM user_profile WHERE user_id = $1 AND version = $2::int - 1`,
    [userId, version, email],
  );
}

/** Ends an account's sessions, drops its password and frees its name. */
async function forgetAccount(db: Queryable, userId: string): Promise<void> {
  await revokeSessions(db, userId);
  await db.query('DELETE FROM user_credential WHERE user_id = $1', [userId]);
  await db.query('UPDATE user_profile SET current = false WHERE user_id = $1', [userId]);
}
