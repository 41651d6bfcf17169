import { OptionalText, Text } from '../wire';

export class CreateRoleDto {
  @Text('Tenant')
  tenant: string;

  @Text('Name of the role')
  name: string;

  @OptionalText('What it is for')
  description?: string | null;
}

export class RoleIdDto {
  @Text('Id of the role')
  id: string;
}

export class GrantPermissionDto {
  @Text('Id of the role')
  roleId: string;

  @OptionalText('Catalog; * = every catalog of the tenant (default)')
  catalog?: string | null;

  @OptionalText('Schema; * = every schema (default)')
  schema?: string | null;

  @OptionalText('Table; * = every table (default)')
  table?: string | null;

  @Text('RO, RW, DDL or ALL')
  verb: string;
}

export class PermissionIdDto {
  @Text('Id of the permission')
  id: string;
}

export class RolesOfTenantQuery {
  @Text('Tenant')
  tenant: string;
}

export class PermissionsOfRoleQuery {
  @Text('Id of the role')
  roleId: string;
}
