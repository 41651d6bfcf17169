/** A node of a pool as administrators see it. Source: reference/api.md, "Databases and pools". */
export interface NodeResponse {
  nodeId: string;
  status: string;
  leaseExpiresAt: Date | null;
  policyVersion: number | null;
  activeStatements: number;
}

/** Which nodes serve a pool; whoever runs nodes binds this token. */
export abstract class NodeDirectory {
  abstract nodesOf(poolId: string): Promise<NodeResponse[]>;
}
