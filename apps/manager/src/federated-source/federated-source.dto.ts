import { OptionalFlag, OptionalObject, OptionalText, Text } from '../wire';

export class DatabasePathDto {
  @Text('Tenant')
  tenant: string;

  @Text('Name of the database')
  tenantDb: string;
}

export class SourcePathDto extends DatabasePathDto {
  @Text('Alias of the source')
  alias: string;
}

export class CreateSourceDto {
  @Text('Name of the catalog on the nodes, which grants name')
  alias: string;

  @OptionalText('duckdb (default) or sqlite')
  sourceType?: string | null;

  @OptionalObject('{ "path": an absolute path of a file on the nodes }')
  config?: Record<string, unknown> | null;

  @OptionalText('What it is')
  description?: string | null;

  @OptionalFlag('Sources are always read-only: absent or true')
  readOnly?: boolean | null;

  @OptionalFlag('Not supported: must be absent or false')
  disabled?: boolean | null;

  @OptionalText('Not supported: must be absent')
  setupSql?: string | null;

  @OptionalText('Not supported: must be absent')
  connection?: string | null;
}
