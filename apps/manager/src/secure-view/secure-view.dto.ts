import { Text } from '../wire';

export class SecureViewsOfTenantQuery {
  @Text('Tenant')
  tenant: string;
}
