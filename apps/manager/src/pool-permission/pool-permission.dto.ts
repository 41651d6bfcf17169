import { OptionalText, Text } from '../wire';

export class GrantPoolDto {
  @Text('Tenant')
  tenant: string;

  @OptionalText('Id of the pool; absent = every pool of the tenant, also those to come')
  poolId?: string | null;

  @OptionalText('Id of the user that gets it; exactly one of userId and groupId')
  userId?: string | null;

  @OptionalText('Id of the group that gets it; exactly one of userId and groupId')
  groupId?: string | null;
}

export class PoolGrantIdDto {
  @Text('Id of the grant')
  id: string;
}

export class PoolGrantsQuery {
  @OptionalText('Tenant')
  tenant?: string | null;

  @OptionalText('Only grants of this user')
  userId?: string | null;

  @OptionalText('Only grants of this group')
  groupId?: string | null;
}
