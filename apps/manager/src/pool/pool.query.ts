import { Injectable } from '@nestjs/common';
import { DomainError, foldName } from '@gadwall/rbac';
import { Gate, type PoolBinding } from '../effective-set';
import { NodeDirectory, type NodeResponse } from './node-directory';

/** Source: reference/api.md, "Databases and pools". */
export interface PoolResponse {
  id: string;
  tenant: string;
  tenantDb: string;
  pool: string;
  size: number;
  disabled: boolean;
  idleTimeoutSec: number | null;
  maxConcurrentPerNode: number | null;
  statementTimeoutMs: number | null;
  maxRows: number | null;
  status: 'starting' | 'ready' | 'degraded' | 'stopped';
  nodes: NodeResponse[];
}

/** Reads pools of tenants that are within the caller's scope, with their nodes. */
@Injectable()
export class PoolQuery {
  constructor(
    private readonly gate: Gate,
    private readonly nodes: NodeDirectory,
  ) {}

  async pool(tenant: string, database: string, name: string): Promise<PoolResponse> {
    const binding = await this.gate.binding(tenant, name);
    if (binding === undefined || foldName(binding.database) !== foldName(database)) throw new DomainError('not_found');
    return this.responseOf(binding);
  }

  /** @param tenant null = of every tenant */
  async pools(tenant: string | null): Promise<PoolResponse[]> {
    const bindings = await this.gate.bindings(tenant);
    return Promise.all(bindings.map((binding) => this.responseOf(binding)));
  }

  private async responseOf(binding: PoolBinding): Promise<PoolResponse> {
    const nodes = await this.nodes.nodesOf(binding.poolId);
    const { idleTimeoutSec, maxConcurrentPerNode, statementTimeoutMs, maxRows } = binding;
    return {
      id: binding.poolId,
      tenant: binding.tenant,
      tenantDb: binding.database,
      pool: binding.pool,
      size: binding.size,
      disabled: binding.poolDisabled,
      idleTimeoutSec,
      maxConcurrentPerNode,
      statementTimeoutMs,
      maxRows,
      status: statusOf(binding, nodes),
      nodes,
    };
  }
}

function statusOf({ stopped, size }: PoolBinding, nodes: readonly NodeResponse[]): PoolResponse['status'] {
  if (stopped || size === 0) return 'stopped';
  const ready = nodes.filter((node) => node.status === 'ready').length;
  if (ready >= size) return 'ready';
  return ready > 0 ? 'degraded' : 'starting';
}
