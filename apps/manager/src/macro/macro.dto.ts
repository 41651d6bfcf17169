import { Text } from '../wire';

export class AdmitMacroDto {
  @Text('Tenant')
  tenant: string;

  @Text('Catalog of one of its databases')
  catalog: string;

  @Text('Schema')
  schema: string;

  @Text('Name of the macro; all its overloads are admitted')
  name: string;
}

export class MacroIdDto {
  @Text('Tenant')
  tenant: string;

  @Text('Id of the admitted macro')
  id: string;
}

export class MacrosOfTenantQuery {
  @Text('Tenant')
  tenant: string;
}
