import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';
import { Audit } from '../audit';
import { READS } from '../postgres';
import { Authentication } from './authentication';
import { Passwords } from './passwords';
import { type Authenticated } from './principal';

/** What a client learns of the account it logged in to. Source: qod-api.md 1.2. */
export interface Identity {
  username: string;
  tenant: string | null;
  superuser: boolean;
  admin: boolean;
  manageableTenants: string[];
}

/** Username, password and realm; no tenant = the realm of superusers. */
export interface Credentials {
  username: string;
  password: string;
  tenant: string | null;
}

interface AccountRow {
  id: string;
  tenant: string | null;
  kind: string;
  enabled: boolean;
  must_change_password: boolean;
  tenant_disabled: boolean | null;
  password_hash: string | null;
}

/** An account whose password was just proven. */
export interface ProvenAccount {
  userId: string;
  tenant: string | null;
  mustChangePassword: boolean;
}

/** Login with a password. */
@Injectable()
export class Login {
  constructor(
    @Inject(READS) private readonly db: Queryable,
    private readonly passwords: Passwords,
    private readonly authentication: Authentication,
    private readonly audit: Audit,
  ) {}

  /**
   * Proves a password. Unknown user, wrong password and disabled user get one answer after the same work.
   *
   * @throws DomainError `invalid_credentials`
   */
  async prove(credentials: Credentials): Promise<ProvenAccount> {
    if (credentials.password.trim() === '') throw new DomainError('blank_password');
    const account = await this.account(credentials.username.normalize('NFC'), credentials.tenant);
    const matched = await this.passwords.matches(account?.password_hash ?? null, credentials.password);
    if (account === undefined || !matched || !account.enabled) {
      await this.audit.record({
        family: 'auth',
        action: 'auth.login.failure',
        actor: account?.id ?? null,
        tenant: account?.tenant ?? null,
        outcome: 'denied',
      });
      throw new DomainError('invalid_credentials');
    }
    if (account.tenant_disabled === true) throw new DomainError('tenant_disabled');
    return { userId: account.id, tenant: account.tenant, mustChangePassword: account.must_change_password };
  }

  /** Proves the password and opens a session. */
  async login(credentials: Credentials): Promise<Identity & { token: string }> {
    const account = await this.prove(credentials);
    if (account.mustChangePassword) throw new DomainError('password_change_required');
    const token = await this.authentication.open(account.userId);
    const principal = await this.authentication.principalOf(token);
    await this.audit.record({
      family: 'auth',
      action: 'auth.login',
      actor: account.userId,
      tenant: account.tenant,
      outcome: 'ok',
    });
    return { token, ...(await this.identityOf(principal)) };
  }

  /** What the principal may be told of itself. */
  async identityOf(principal: Authenticated): Promise<Identity> {
    const { username, tenant, superuser, admin } = principal;
    return { username, tenant, superuser, admin, manageableTenants: await this.manageableTenants(principal) };
  }

  private async manageableTenants({ tenant, superuser, admin }: Authenticated): Promise<string[]> {
    if (!admin) return [];
    if (!superuser) return tenant === null ? [] : [tenant];
    const { rows } = await this.db.query<{ id: string }>('SELECT id FROM tenant ORDER BY id COLLATE "C"');
    return rows.map((row) => row.id);
  }

  /** The realm is part of the look-up: a superuser is never found in a tenant's (seed 000, "Superusers"). */
  private async account(username: string, tenant: string | null): Promise<AccountRow | undefined> {
    const { rows } = await this.db.query<AccountRow>(
      `SELECT u.id, u.tenant, u.kind, u.enabled, u.must_change_password, t.disabled AS tenant_disabled, c.password_hash
       FROM user_profile p JOIN app_user u ON u.id = p.user_id
         LEFT JOIN tenant t ON t.id = u.tenant
         LEFT JOIN user_credential c ON c.user_id = u.id AND c.version = u.credential_version
       WHERE p.current AND p.username = $1 AND p.tenant IS NOT DISTINCT FROM $2 AND u.tenant IS NOT DISTINCT FROM $2`,
      [username, tenant],
    );
    return rows[0];
  }
}
