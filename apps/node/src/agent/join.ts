import { beginJoin, type NodeOffer } from '@gadwall/link';
import type { NodeAssignment } from '@gadwall/rbac';
import { type ManagerLine, ManagerRefusal } from '../lease';

/** ms that a manager may take to answer. */
const LIMIT_MS = 20_000;

/** What a node is once it has joined. */
export interface Joined {
  assignment: NodeAssignment;
  /** Handles for this node are signed with it. */
  handleKey: Buffer;
}

/**
 * Registers with the manager that started this node: each proves to the other that it knows the join token (ADR 015).
 * @throws Error when the manager refuses, or what answers is not that manager
 */
export async function join(manager: ManagerLine, joinToken: string, offer: NodeOffer): Promise<Joined> {
  const { request, open } = beginJoin(joinToken, offer);
  const opened = open(await answerTo(manager, request));
  if (!opened) {
    throw new Error('what answers at GADWALL_MANAGER_URL does not know GADWALL_JOIN_TOKEN: it is not our manager');
  }
  return { assignment: opened.content as NodeAssignment, handleKey: opened.handleKey };
}

async function answerTo(manager: ManagerLine, request: unknown): Promise<unknown> {
  try {
    return await manager.ask('/internal/nodes/register', request, LIMIT_MS);
  } catch (error) {
    if (error instanceof SyntaxError) return null; // no manager of ours talks like that
    if (error instanceof ManagerRefusal) throw new Error(`this node may not join: ${error.message}`);
    throw error;
  }
}
