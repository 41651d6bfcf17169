import { OptionalText, Text } from '../wire';

export class LoginDto {
  @Text('Name of the account')
  username: string;

  @Text('Its password')
  password: string;

  @OptionalText('Tenant of the account; without one, a superuser logs in')
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

export class ModeQuery {
  @OptionalText('Tenant that the login is for')
  tenant?: string | null;
}
