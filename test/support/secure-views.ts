import type { SecureView } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import { type Mutated, Mutations } from '../../apps/manager/src/mutation';
import type { TestManager } from './manager';

/** The static key: no user, and nothing that could have been taken away. */
const KEY = { userId: null, username: 'api-key', tenant: null, superuser: true, admin: true, sessionId: null };
const CALLER = { principal: KEY, requestId: 'secure-view' };

/** The policy's side of a secure view where no node runs that could have made it: what the SQL door does with its answer. */
export async function createSecureView(manager: TestManager, tenant: string, view: SecureView): Promise<string> {
  const viewId = uuidv7();
  await done(
    await manager.app
      .get(Mutations)
      .inTenant(CALLER, tenant, { command: { type: 'create-secure-view', viewId, ...view } }),
  );
  return viewId;
}

export async function dropSecureView(manager: TestManager, tenant: string, viewId: string): Promise<void> {
  await done(
    await manager.app.get(Mutations).inTenant(CALLER, tenant, { command: { type: 'drop-secure-view', viewId } }),
  );
}

async function done({ barrier }: Mutated<unknown>): Promise<void> {
  await barrier.settled;
}
