import type { Projection } from '../projection';
import { columnPolicyProjection } from './column-policy.projection';
import { databaseProjection } from './database.projection';
import { groupProjection } from './group.projection';
import { macroProjection } from './macro.projection';
import { membershipProjection } from './membership.projection';
import { poolPermissionProjection } from './pool-permission.projection';
import { poolProjection } from './pool.projection';
import { roleProjection } from './role.projection';
import { rowPolicyProjection } from './row-policy.projection';
import { secureViewProjection } from './secure-view.projection';
import { sourceProjection } from './source.projection';
import { tenantProjection } from './tenant.projection';
import { userProjection } from './user.projection';

/** The inline projections of policy events, those whose tables others refer to first. */
export const POLICY_PROJECTIONS: readonly Projection[] = [
  tenantProjection,
  databaseProjection,
  poolProjection,
  roleProjection,
  columnPolicyProjection,
  rowPolicyProjection,
  groupProjection,
  userProjection,
  membershipProjection,
  poolPermissionProjection,
  macroProjection,
  secureViewProjection,
  sourceProjection,
];
