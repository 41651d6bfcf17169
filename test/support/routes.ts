import type { TestManager } from './manager';
import type { TenantFixture } from './tenants';

interface Parameter {
  name: string;
  in: string;
}

interface Schema {
  $ref?: string;
  properties?: Record<string, { type?: string }>;
  required?: string[];
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** One route of the API with the names of what it takes. */
export interface Route {
  method: 'get' | 'post' | 'delete' | 'put' | 'patch';
  /** As OpenAPI writes it: `/api/pool/{tenant}/…`. */
  path: string;
  pathFields: string[];
  queryFields: string[];
  bodyFields: Record<string, { type?: string }>;
}

/** Every route that the manager's own OpenAPI document lists. */
export async function routesOf(manager: TestManager): Promise<Route[]> {
  const document = (await manager.anonymous.get('/api/docs-json')).body as OpenApi;
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const named = (where: string): string[] =>
        (operation.parameters ?? []).filter((parameter) => parameter.in === where).map((parameter) => parameter.name);
      const schema = operation.requestBody?.content['application/json']?.schema ?? {};
      const body = schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').pop() ?? ''];
      return {
        method: method as Route['method'],
        path,
        pathFields: named('path'),
        queryFields: named('query'),
        bodyFields: body?.properties ?? {},
      };
    }),
  );
}

/** Ids that a bare `id` stands for, by the route's path. */
function idOf(path: string, ids: TenantFixture): string | undefined {
  if (path.startsWith('/api/user/')) return ids.userId;
  if (path.startsWith('/api/role/permission/')) return ids.permissionId;
  if (path.startsWith('/api/role/column-policy/')) return ids.columnPolicyId;
  if (path.startsWith('/api/role/row-policy/')) return ids.rowPolicyId;
  if (path.startsWith('/api/role/')) return ids.roleId;
  if (path.startsWith('/api/group/')) return ids.groupId;
  if (path.startsWith('/api/pool/permission/')) return ids.grantId;
  if (path.startsWith('/api/session/') || path.startsWith('/api/macro/')) return '00000000-0000-7000-8000-000000000000';
  return undefined;
}

/** A plausible value of each field; the things that it names are those of a tenant. */
function valueOf(path: string, field: string, ids: TenantFixture): unknown {
  const values: Record<string, unknown> = {
    tenant: ids.tenant,
    name: path.startsWith('/api/tenant/') ? ids.tenant : path.startsWith('/api/database/') ? ids.database : 'made',
    id: path === '/api/tenant/create' ? 'made' : idOf(path, ids),
    database: ids.database,
    catalog: ids.database,
    schema: 'main',
    tenantDb: ids.database,
    pool: path === '/api/pool/create' ? 'made' : ids.pool,
    poolId: ids.poolId,
    alias: 'far',
    userId: ids.userId,
    roleId: ids.roleId,
    groupId: path.startsWith('/api/pool/permission/grant') ? undefined : ids.groupId,
    username: 'made',
    password: 'correct horse',
    currentPassword: 'correct horse',
    newPassword: 'correct horse',
    size: 1,
    targetSize: 2,
    disabled: true,
    verb: 'RO',
    columnName: 'c',
    action: 'deny',
    predicateSql: 'c = 1',
    sql: 'SELECT 1',
  };
  return values[field];
}

/** The call of a route with everything it takes filled in from a tenant. */
export function callOf(route: Route, ids: TenantFixture): { path: string; body: Record<string, unknown> } {
  const value = (field: string): unknown => valueOf(route.path, field, ids);
  const missing = route.pathFields.filter((field) => value(field) === undefined);
  if (missing.length > 0) throw new Error(`${route.path}: no value for ${missing.join(', ')}`);
  const path = route.pathFields.reduce((text, field) => text.replace(`{${field}}`, String(value(field))), route.path);
  const query = route.queryFields.filter((field) => value(field) !== undefined);
  const search = query.map((field) => `${field}=${encodeURIComponent(String(value(field)))}`).join('&');
  const body = Object.fromEntries(
    Object.keys(route.bodyFields)
      .map((field) => [field, value(field)] as const)
      .filter(([, given]) => given !== undefined),
  );
  return { path: search === '' ? path : `${path}?${search}`, body };
}
