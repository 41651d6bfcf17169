import { Flag, OptionalFlag, OptionalObject, OptionalText, OptionalWhole, Text, Whole } from '../wire';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsOptional } from 'class-validator';

const INT_MAX = 2_147_483_647;

/** Names a pool; a client of the SQL door names tenant and pool only. */
export class PoolNameDto {
  @Text('Tenant')
  tenant: string;

  @Text('Database that the pool is bound to')
  tenantDb: string;

  @Text('Name of the pool')
  pool: string;
}

export class CreatePoolDto extends PoolNameDto {
  @Whole('Number of nodes', 0, 1000)
  size: number;

  @OptionalFlag('true = nobody gets through')
  disabled?: boolean | null;

  @OptionalWhole('Seconds until idle nodes stop; -1 and absent: the default', -1, INT_MAX)
  idleTimeoutSec?: number | null;

  @OptionalWhole('Statements at once on a node; 0 and absent: the default', 0, INT_MAX)
  maxConcurrentPerNode?: number | null;

  @OptionalWhole('Time limit of a statement in milliseconds; 0 and absent: the default', 0, INT_MAX)
  statementTimeoutMs?: number | null;

  @OptionalWhole('Most rows that a statement may give; absent: the default', 0, Number.MAX_SAFE_INTEGER)
  maxRows?: number | null;

  @OptionalText('SQL that a node runs when it joins the pool; superusers only', 1_000_000)
  initSql?: string | null;

  @OptionalObject('Taken and not used: every node reads and writes')
  roleDistribution?: Record<string, unknown> | null;

  @OptionalText('inherit; nodes are always locked down')
  lockdown?: string | null;

  @OptionalText('Not supported: must be absent or empty')
  cpu?: string | null;

  @OptionalText('Not supported: must be absent or empty')
  memory?: string | null;

  @OptionalText('Not supported: must be absent or empty')
  podTemplateYaml?: string | null;

  @OptionalFlag('Not supported: must be absent or false')
  startSuspended?: boolean | null;

  @ApiPropertyOptional({ type: [Object], nullable: true, description: 'Not supported: must be absent or empty' })
  @IsOptional()
  @IsArray()
  cohorts?: unknown[] | null;

  @OptionalWhole('Not supported: must be absent', 0, INT_MAX)
  minNodes?: number | null;

  @OptionalWhole('Not supported: must be absent', 0, INT_MAX)
  maxNodes?: number | null;
}

export class ScalePoolDto extends PoolNameDto {
  @Whole('Number of nodes to come to', 0, 1000)
  targetSize: number;

  @OptionalObject('Taken and not used: every node reads and writes')
  roleDistribution?: Record<string, unknown> | null;

  @OptionalFlag('Taken and not used: running statements always have the time that nodes drain in')
  force?: boolean | null;
}

export class EndPoolDto extends PoolNameDto {
  @OptionalFlag('Taken and not used: running statements always have the time that nodes drain in')
  force?: boolean | null;
}

export class DisablePoolDto extends PoolNameDto {
  @Flag('true = nobody gets through')
  disabled: boolean;
}

export class PoolsQuery {
  @OptionalText('Tenant; absent = all that the caller may see')
  tenant?: string | null;
}
