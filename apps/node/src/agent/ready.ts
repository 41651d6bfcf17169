import type { LeaseKeeper, ManagerLine } from '../lease';

/** ms that a manager may take to answer. */
const LIMIT_MS = 20_000;

/** Tells the manager that the node serves, and where. @throws ManagerRefusal; an error when there is no answer in time */
export async function ready(manager: ManagerLine, lease: LeaseKeeper, url: string): Promise<void> {
  await manager.ask('/internal/nodes/ready', lease.ask('ready', { nodeId: lease.nodeId, url }), LIMIT_MS);
}
