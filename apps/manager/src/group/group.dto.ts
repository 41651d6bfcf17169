import { OptionalText, Text } from '../wire';

export class CreateGroupDto {
  @Text('Tenant')
  tenant: string;

  @Text('Name of the group')
  name: string;

  @OptionalText('What it is for')
  description?: string | null;
}

export class GroupIdDto {
  @Text('Id of the group')
  id: string;
}

export class GroupsOfTenantQuery {
  @Text('Tenant')
  tenant: string;
}
