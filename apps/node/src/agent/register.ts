import { NodeAssignment, NodeReady, NodeRegistration } from '@gadwall/rbac';
import { request } from 'undici';

/** Tells a manager of this node, and learns what it serves. @throws Error when the manager refuses */
export async function register(managerUrl: string, registration: NodeRegistration): Promise<NodeAssignment> {
  const response = await request(`${managerUrl}/internal/nodes/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(registration),
  });
  if (response.statusCode !== 200 && response.statusCode !== 201) {
    throw new Error(`the manager refused this node: ${response.statusCode} ${await response.body.text()}`);
  }
  return (await response.body.json()) as NodeAssignment;
}

/** Tells the manager that the node serves. */
export async function ready(managerUrl: string, message: NodeReady): Promise<void> {
  const response = await request(`${managerUrl}/internal/nodes/ready`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  await response.body.dump();
}
