import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { EventStore, SYSTEM_STREAM, type Queryable } from '@gadwall/events';
import { POLICY_EVENTS } from '@gadwall/rbac';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { Passwords } from '../auth';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';
import { storeAccount } from './account';

/** Makes the first superuser of an empty control plane; an account that exists is never touched (pitfalls.md, 1). */
@Injectable()
export class Bootstrap implements OnApplicationBootstrap {
  private readonly logger = new Logger('bootstrap');

  constructor(
    @Inject(MANAGER_CONFIG) private readonly config: ManagerConfig,
    private readonly store: EventStore,
    private readonly passwords: Passwords,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { password } = this.config.admin;
    const username = this.config.admin.username.normalize('NFC');
    const made = randomBytes(18).toString('base64url');
    const passwordHash = await this.passwords.hash(password ?? made);
    const userId = uuidv7();
    const context = { actor: { kind: 'system', id: null }, requestId: randomUUID() } as const;
    const { events } = await this.store.mutate(context, [SYSTEM_STREAM], async ({ db }) => {
      if (await hasSuperuser(db)) return { events: [], result: undefined };
      await storeAccount(db, null, userId, { username, email: null, passwordHash });
      // Under the lock and before the commit: an account without a known password would lock everyone out.
      if (password === null) await this.keep(made);
      const data = { userId, kind: 'admin', profileVersion: 1, credentialVersion: 1, mustChangePassword: false };
      const { schema } = POLICY_EVENTS['user.created'];
      return { events: [{ stream: SYSTEM_STREAM, type: 'user.created', schema, data }], result: undefined };
    });
    if (events.length === 0) return;
    this.logger.log(`superuser ${username} was made`);
    if (password === null)
      process.stderr.write(`\nsuperuser ${username}, password ${made} (kept in ${this.file()})\n\n`);
  }

  private file(): string {
    return join(this.config.dataDir, 'admin-password');
  }

  private async keep(password: string): Promise<void> {
    await mkdir(this.config.dataDir, { recursive: true, mode: 0o700 });
    await writeFile(this.file(), `${password}\n`, { mode: 0o600 });
    // The mode above counts for new files only.
    await chmod(this.file(), 0o600);
  }
}

async function hasSuperuser(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query('SELECT 1 FROM app_user WHERE tenant IS NULL LIMIT 1');
  return rowCount !== 0;
}
