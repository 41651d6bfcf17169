import { Flag, OptionalObject, OptionalText, Text } from '../wire';

export class CreateTenantDto {
  @Text('Id of the tenant: 1 to 63 lower-case letters, digits, - and _')
  id: string;

  @OptionalText('Name to show; default: the id')
  displayName?: string | null;

  @OptionalText('db (default)')
  authProvider?: string | null;

  @OptionalObject('Settings of the provider; none for db')
  authConfig?: Record<string, unknown> | null;
}

export class TenantNameDto {
  @Text('Id of the tenant')
  name: string;
}

export class InterruptOnRevokeDto {
  @Text('Id of the tenant')
  name: string;

  @Flag('true = a revoke ends statements that run and would now be refused')
  interruptOnRevoke: boolean;
}

export class DisableTenantDto {
  @Text('Id of the tenant')
  name: string;

  @Flag('true = nobody gets through to its pools')
  disabled: boolean;
}
