import { OptionalFlag, OptionalObject, OptionalText, Text } from '../wire';

/** Longest init script, in characters. */
const SCRIPT_LIMIT = 1_000_000;

export class CreateDatabaseDto {
  @Text('Tenant')
  tenant: string;

  @Text('Name of the database')
  name: string;

  @OptionalText('duckdb-file (default), memory or ducklake')
  kind?: string | null;

  @OptionalText('File or folder of the data; superusers only, default: one of our making')
  dataPath?: string | null;

  @OptionalText('Name of the catalog on the node; default: the name')
  defaultDatabase?: string | null;

  @OptionalText('Schema of bare names; default: main')
  defaultSchema?: string | null;

  @OptionalObject('dbName and schemaName stand for defaultDatabase and defaultSchema; the rest: superusers only')
  metastore?: Record<string, unknown> | null;

  @OptionalObject('Access to the object store; superusers only')
  objectStore?: Record<string, unknown> | null;

  @OptionalText('SQL that a node runs when it opens the database; superusers only', SCRIPT_LIMIT)
  initSql?: string | null;

  @OptionalFlag('memory only: each node seeds its own copy from initSql')
  readOnly?: boolean | null;

  @OptionalFlag('A path of our making: what an absent dataPath gives too')
  managedStorage?: boolean | null;

  @OptionalFlag('Not supported: must be absent or false')
  encrypted?: boolean | null;

  @OptionalText('Not supported: must be absent')
  encryptionKey?: string | null;
}

export class UpdateDatabaseDto {
  @Text('Tenant')
  tenant: string;

  @Text('Name of the database')
  name: string;

  @OptionalText('Name of the catalog on the node')
  defaultDatabase?: string | null;

  @OptionalText('Schema of bare names')
  defaultSchema?: string | null;

  @OptionalObject('Superusers only')
  metastore?: Record<string, unknown> | null;

  @OptionalObject('Superusers only')
  objectStore?: Record<string, unknown> | null;

  @OptionalText('Superusers only', SCRIPT_LIMIT)
  initSql?: string | null;
}

export class DeleteDatabaseDto {
  @Text('Tenant')
  tenant: string;

  @Text('Name of the database')
  name: string;

  @OptionalFlag('Not supported: must be absent or false')
  purgeManagedData?: boolean | null;
}

export class DatabasesOfTenantQuery {
  @Text('Tenant')
  tenant: string;
}
