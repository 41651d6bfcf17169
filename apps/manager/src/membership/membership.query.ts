import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { READS } from '../postgres';

/** A role bound into a group. */
export interface GroupRoleResponse {
  groupId: string;
  roleId: string;
  roleName: string;
}

/** Reads edges of a tenant that is within the caller's scope. */
@Injectable()
export class MembershipQuery {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  async rolesOfGroup(tenant: string, groupId: string): Promise<GroupRoleResponse[]> {
    const { rows } = await this.db.query<GroupRoleResponse>(
      `SELECT e.group_id AS "groupId", e.role_id AS "roleId", r.name AS "roleName"
       FROM group_role e JOIN role r ON r.tenant = e.tenant AND r.id = e.role_id
       WHERE e.tenant = $1 AND e.group_id = $2 ORDER BY r.name COLLATE "C"`,
      [tenant, groupId],
    );
    return rows;
  }
}
