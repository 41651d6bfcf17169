import { OptionalText, Text } from '../wire';

export class LoginDto {
  @Text('Name of the account')
  username: string;

  @Text('Its password')
  password: string;

  @OptionalText('Tenant of the account; without one, a superuser logs in')
  tenant?: string | null;
}

export class ModeQuery {
  @OptionalText('Tenant that the login is for')
  tenant?: string | null;
}
