import { OptionalFlag, OptionalText, OptionalTexts, Text } from '../wire';

export class CreateUserDto {
  @OptionalText('Tenant; absent = a superuser')
  tenant?: string | null;

  @Text('Name to log in with')
  username: string;

  @Text('Password')
  password: string;

  @OptionalText('user (default) or admin: management rights only, no access to data')
  kind?: string | null;

  @OptionalFlag('Ask for a new password at the first login')
  mustChangePassword?: boolean | null;

  @OptionalText('E-mail address')
  email?: string | null;

  @OptionalTexts('Names of roles to attach; absent = gadwall_all_tables')
  roles?: string[] | null;

  @OptionalTexts('Names of groups to attach; absent = gadwall_all_pools')
  groups?: string[] | null;
}

export class UpdateUserDto {
  @Text('Id of the user')
  id: string;

  @OptionalText('Tenant of the user, if it is to be checked')
  tenant?: string | null;

  @OptionalText('New password')
  password?: string | null;

  @OptionalText('user or admin')
  kind?: string | null;

  @OptionalFlag('Ask for a new password at the next login')
  mustChangePassword?: boolean | null;

  @OptionalText('New e-mail address; empty = none')
  email?: string | null;

  @OptionalFlag('false = the account is locked')
  enabled?: boolean | null;
}

export class UserIdDto {
  @Text('Id of the user')
  id: string;
}

export class UsersQuery {
  @OptionalText('Tenant; absent = all that the caller may see')
  tenant?: string | null;
}

export class ChangePasswordDto {
  @Text('Name of the account')
  username: string;

  @OptionalText('Tenant of the account; without one, a superuser')
  tenant?: string | null;

  @Text('The password in force')
  currentPassword: string;

  @Text('The password to come')
  newPassword: string;
}
