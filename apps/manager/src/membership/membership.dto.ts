import { Text } from '../wire';

export class UserRoleDto {
  @Text('Id of the user')
  userId: string;

  @Text('Id of the role')
  roleId: string;
}

export class UserGroupDto {
  @Text('Id of the user')
  userId: string;

  @Text('Id of the group')
  groupId: string;
}

export class GroupRoleDto {
  @Text('Id of the group')
  groupId: string;

  @Text('Id of the role')
  roleId: string;
}

export class RolesOfGroupQuery {
  @Text('Id of the group')
  groupId: string;
}
