import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { foldName, type TenantState } from '@gadwall/rbac';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../auth';
import { type Mutated, Mutations, TenantCommand } from '../mutation';

/** What a permission allows. */
export interface Allowance {
  roleId: string;
  catalog: string;
  schema: string;
  table: string;
  verb: string;
}

/** Gives a role a table permission; gives its id, that of the one there already if the role has it. */
export class GrantPermission extends TenantCommand<string> {
  constructor(
    tenant: string,
    caller: Caller,
    readonly allowance: Allowance,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(GrantPermission)
export class GrantPermissionHandler implements ICommandHandler<GrantPermission> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, allowance }: GrantPermission): Promise<Mutated<string>> {
    const permissionId = uuidv7();
    return this.mutations.inTenant(caller, tenant, {
      command: { type: 'grant-permission', permissionId, effect: 'allow', ...allowance },
      result: (after) => held(after, allowance) ?? permissionId,
    });
  }
}

function held(state: TenantState, asked: Allowance): string | undefined {
  const key = ({ roleId, catalog, schema, table, verb }: Allowance): string =>
    JSON.stringify([roleId, foldName(catalog), foldName(schema), foldName(table), verb]);
  return state.permissions.find((row) => row.effect === 'allow' && key(row) === key(asked))?.id;
}

/** Takes a permission from its role. */
export class RevokePermission extends TenantCommand {
  constructor(
    tenant: string,
    caller: Caller,
    readonly permissionId: string,
  ) {
    super(tenant, caller);
  }
}

@CommandHandler(RevokePermission)
export class RevokePermissionHandler implements ICommandHandler<RevokePermission> {
  constructor(private readonly mutations: Mutations) {}

  execute({ caller, tenant, permissionId }: RevokePermission): Promise<Mutated<void>> {
    return this.mutations.inTenant(caller, tenant, { command: { type: 'revoke-permission', permissionId } });
  }
}
