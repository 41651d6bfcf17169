import { Injectable } from '@nestjs/common';

/** A node of a pool as administrators see it. Source: reference/api.md, "Databases and pools". */
export interface NodeResponse {
  nodeId: string;
  status: string;
  leaseExpiresAt: Date | null;
  policyVersion: number | null;
  activeStatements: number;
}

/** Which nodes serve a pool. Whoever runs nodes binds this token to a directory that knows them. */
@Injectable()
export class NodeDirectory {
  nodesOf(_poolId: string): Promise<NodeResponse[]> {
    return Promise.resolve([]);
  }
}
