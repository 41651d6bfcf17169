import {
  POLICY_EVENTS,
  type ColumnRule,
  type EventData,
  type EventType,
  type RowRule,
  type SecureViewBody,
} from '@gadwall/rbac';
import { SYSTEM_STREAM, type NewEvent } from '@gadwall/events';
import { Bag, Wheel, type Pick } from './chance';

/** How a history is made up. */
export interface HistoryShape {
  /** How often a tenant is chosen against the others, by its id; `$system` has superusers only. */
  tenants: Readonly<Record<string, number>>;
  /** How often a type is chosen against the others. */
  types: Readonly<Record<EventType, number>>;
  /** Names that roles, groups and granted tables choose from: where they are few, one comes back after its removal. */
  names: number;
}

type Edge = 'user-role' | 'user-group' | 'group-role';

/** What the events so far have left of a tenant. */
class Tenant {
  readonly users = new Bag<string>();
  readonly roles = new Bag<string>();
  readonly groups = new Bag<string>();
  readonly databases = new Bag<string>();
  readonly pools = new Bag<string>();
  readonly permissions = new Bag<EventData['permission.granted']>();
  readonly columnPolicies = new Bag<EventData['column-policy.created']>();
  readonly rowPolicies = new Bag<EventData['row-policy.created']>();
  readonly grants = new Bag<EventData['pool-permission.granted']>();
  readonly macros = new Bag<EventData['macro.admitted']>();
  readonly secureViews = new Bag<EventData['secure-view.created']>();
  readonly sources = new Bag<EventData['federated-source.created']>();
  readonly edges: Readonly<Record<Edge, Bag<[string, string]>>> = {
    'user-role': new Bag(),
    'user-group': new Bag(),
    'group-role': new Bag(),
  };
  /** Ids of what is there; what an id of a role, a group or a pool holds: its name, or its database. */
  readonly there = new Map<string, string>();
  /** Names, edges and grants that cannot be made a second time. */
  readonly taken = new Set<string>();
}

type Makers = { readonly [T in EventType]: (tenant: Tenant, name: string) => EventData[T] | null };

/** An endless history of policy events, each of which the ones before it allow. */
export class PolicyHistory {
  private readonly tenants = new Map<string, Tenant>();
  private readonly tenant: Wheel<string>;
  private readonly type: Wheel<EventType>;
  private made = 0;

  constructor(
    private readonly pick: Pick,
    private readonly shape: HistoryShape,
  ) {
    this.tenant = new Wheel(shape.tenants);
    this.type = new Wheel(shape.types);
    this.tenants.set(SYSTEM_STREAM, new Tenant());
  }

  /** The next event. Of a tenant that is not there it can only be its creation. */
  next(): NewEvent {
    for (;;) {
      const name = this.tenant.spin(this.pick);
      const event = this.event(this.tenants.has(name) ? this.type.spin(this.pick) : 'tenant.created', name);
      if (event) return event;
    }
  }

  /** An event of this type and tenant; null where nothing is there that it could be about. */
  private event(type: EventType, name: string): NewEvent | null {
    const tenant = this.tenants.get(name);
    if (!tenant !== (type === 'tenant.created')) return null;
    if (name === SYSTEM_STREAM && !type.startsWith('user.')) return null;
    const data = this.makers[type](tenant ?? new Tenant(), name);
    const stream = type.startsWith('tenant.') ? SYSTEM_STREAM : name;
    return data && { stream, type, schema: POLICY_EVENTS[type].schema, data: { ...data } };
  }

  private readonly makers: Makers = {
    'tenant.created': (tenant, name) => {
      this.tenants.set(name, tenant);
      return { tenant: name, displayName: name, authProvider: 'db' };
    },
    'tenant.disabled': (_, name) => ({ tenant: name }),
    'tenant.enabled': (_, name) => ({ tenant: name }),
    'tenant.interrupt-set': (_, name) => ({ tenant: name, interruptOnRevoke: this.pick(2) === 0 }),
    'tenant.deleted': (_, name) => {
      this.tenants.delete(name);
      return { tenant: name };
    },

    'database.created': (tenant) => {
      const databaseId = this.newId(tenant, tenant.databases);
      const settings = { defaultDatabase: 'lake', defaultSchema: 'main', setupVersion: null };
      return { databaseId, name: databaseId, kind: 'memory', dataPath: null, readOnly: false, ...settings };
    },
    'database.updated': ({ databases }) => {
      const setupVersion = this.pick(9);
      const settings = { defaultDatabase: 'lake', defaultSchema: `s${setupVersion}`, setupVersion };
      return about('databaseId', databases.any(this.pick), settings);
    },
    'database.deleted': ({ databases, pools, sources, there }) => {
      const serves = (database: string) => pools.items.some((pool) => there.get(pool) === database);
      const databaseId = databases.any(this.pick);
      if (databaseId === undefined || serves(databaseId)) return null;
      if (sources.items.some((source) => source.databaseId === databaseId)) return null;
      databases.remove(databaseId);
      return { databaseId };
    },
    'federated-source.created': (tenant) => {
      const databaseId = tenant.databases.any(this.pick);
      if (databaseId === undefined) return null;
      const sourceId = this.newId(tenant);
      const of = { sourceType: 'duckdb', path: '/data/far.duckdb', description: null } as const;
      const source = { sourceId, databaseId, alias: sourceId, ...of };
      tenant.sources.items.push(source);
      return source;
    },
    'federated-source.deleted': ({ sources }) => {
      const source = sources.draw(this.pick);
      return source ? { sourceId: source.sourceId } : null;
    },
    'pool.created': (tenant) => {
      const databaseId = tenant.databases.any(this.pick);
      if (databaseId === undefined) return null;
      const poolId = this.newId(tenant, tenant.pools, databaseId);
      const limits = { idleTimeoutSec: null, maxConcurrentPerNode: 4, statementTimeoutMs: null, maxRows: 2 ** 40 };
      return { poolId, databaseId, name: poolId, size: 1, disabled: false, setupVersion: null, ...limits };
    },
    'pool.scaled': ({ pools }) => about('poolId', pools.any(this.pick), { size: this.pick(9) }),
    'pool.stopped': ({ pools }) => about('poolId', pools.any(this.pick), {}),
    'pool.disabled': ({ pools }) => about('poolId', pools.any(this.pick), {}),
    'pool.enabled': ({ pools }) => about('poolId', pools.any(this.pick), {}),
    'pool.deleted': (tenant) => about('poolId', this.gone(tenant, tenant.pools), {}),

    'role.created': (tenant) => this.named('roleId', tenant, tenant.roles),
    'role.deleted': (tenant) => about('roleId', this.gone(tenant, tenant.roles), {}),
    'permission.granted': (tenant) => {
      const roleId = tenant.roles.any(this.pick);
      const table = this.name();
      if (roleId === undefined || !take(tenant, `${roleId} ${table}`)) return null;
      const permissionId = this.newId(tenant);
      const permission = { permissionId, roleId, effect: 'allow', catalog: 'lake', schema: 'main', table, verb: 'RO' };
      tenant.permissions.items.push(permission as EventData['permission.granted']);
      return permission as EventData['permission.granted'];
    },
    'permission.revoked': (tenant) => {
      const permission = tenant.permissions.draw(this.pick, ({ roleId }) => tenant.there.has(roleId));
      if (!permission) return null;
      const { permissionId, roleId, table } = permission;
      tenant.taken.delete(`${roleId} ${table}`);
      return { permissionId, roleId };
    },

    'column-policy.created': (tenant) => {
      const roleId = tenant.roles.any(this.pick);
      const table = this.name();
      if (roleId === undefined || !take(tenant, `column ${roleId} ${table}`)) return null;
      const place = { roleId, catalog: 'lake', schema: 'main', table, column: 'c' };
      const policy = { policyId: this.newId(tenant), ...place, ...this.columnRule() };
      tenant.columnPolicies.items.push(policy);
      return policy;
    },
    'column-policy.changed': ({ columnPolicies, there }) => {
      const policy = columnPolicies.any(this.pick);
      if (!policy || !there.has(policy.roleId)) return null;
      return { policyId: policy.policyId, roleId: policy.roleId, ...this.columnRule() };
    },
    'column-policy.deleted': ({ columnPolicies, there, taken }) => {
      const policy = columnPolicies.draw(this.pick, ({ roleId }) => there.has(roleId));
      if (!policy) return null;
      taken.delete(`column ${policy.roleId} ${policy.table}`);
      return { policyId: policy.policyId, roleId: policy.roleId };
    },
    'row-policy.created': (tenant) => {
      const roleId = tenant.roles.any(this.pick);
      const table = this.name();
      if (roleId === undefined || !take(tenant, `rows ${roleId} ${table}`)) return null;
      const place = { roleId, catalog: 'lake', schema: 'main', table };
      const policy = { policyId: this.newId(tenant), ...place, ...this.rowRule() };
      tenant.rowPolicies.items.push(policy);
      return policy;
    },
    'row-policy.changed': ({ rowPolicies, there }) => {
      const policy = rowPolicies.any(this.pick);
      if (!policy || !there.has(policy.roleId)) return null;
      return { policyId: policy.policyId, roleId: policy.roleId, ...this.rowRule() };
    },
    'row-policy.deleted': ({ rowPolicies, there, taken }) => {
      const policy = rowPolicies.draw(this.pick, ({ roleId }) => there.has(roleId));
      if (!policy) return null;
      taken.delete(`rows ${policy.roleId} ${policy.table}`);
      return { policyId: policy.policyId, roleId: policy.roleId };
    },

    'group.created': (tenant) => this.named('groupId', tenant, tenant.groups),
    'group.deleted': (tenant) => about('groupId', this.gone(tenant, tenant.groups), {}),
    'user-role.added': (tenant) => {
      const [userId, roleId] = this.join(tenant, 'user-role', tenant.users, tenant.roles);
      return about('userId', userId, { roleId });
    },
    'user-role.removed': (tenant) => {
      const [userId, roleId] = this.part(tenant, 'user-role');
      return about('userId', userId, { roleId });
    },
    'user-group.added': (tenant) => {
      const [userId, groupId] = this.join(tenant, 'user-group', tenant.users, tenant.groups);
      return about('userId', userId, { groupId });
    },
    'user-group.removed': (tenant) => {
      const [userId, groupId] = this.part(tenant, 'user-group');
      return about('userId', userId, { groupId });
    },
    'group-role.added': (tenant) => {
      const [groupId, roleId] = this.join(tenant, 'group-role', tenant.groups, tenant.roles);
      return about('groupId', groupId, { roleId });
    },
    'group-role.removed': (tenant) => {
      const [groupId, roleId] = this.part(tenant, 'group-role');
      return about('groupId', groupId, { roleId });
    },
    'pool-permission.granted': (tenant) => {
      const poolId = (this.pick(4) > 0 ? tenant.pools.any(this.pick) : null) ?? null;
      const toGroup = this.pick(10) === 0;
      const holder = (toGroup ? tenant.groups : tenant.users).any(this.pick);
      if (holder === undefined || !take(tenant, `${poolId} ${holder}`)) return null;
      const grant = { poolId, userId: toGroup ? null : holder, groupId: toGroup ? holder : null };
      const granted = { grantId: this.newId(tenant), ...grant };
      tenant.grants.items.push(granted);
      return granted;
    },
    'pool-permission.revoked': (tenant) => {
      const isThere = (id: string | null) => id === null || tenant.there.has(id);
      const grant = tenant.grants.draw(this.pick, ({ poolId, userId, groupId }) =>
        [poolId, userId, groupId].every(isThere),
      );
      if (!grant) return null;
      tenant.taken.delete(`${grant.poolId} ${grant.userId ?? grant.groupId}`);
      return { grantId: grant.grantId };
    },

    'macro.admitted': (tenant) => {
      const name = this.name();
      if (!take(tenant, `macro ${name}`)) return null;
      const macro = { macroId: this.newId(tenant), catalog: 'lake', schema: 'main', name };
      tenant.macros.items.push(macro);
      return macro;
    },
    'macro.withdrawn': (tenant) => {
      const macro = tenant.macros.draw(this.pick);
      if (!macro) return null;
      tenant.taken.delete(`macro ${macro.name}`);
      return { macroId: macro.macroId };
    },
    'secure-view.created': (tenant) => {
      const name = this.name();
      if (!take(tenant, `secure view ${name}`)) return null;
      const view = { viewId: this.newId(tenant), catalog: 'lake', schema: 'main', name, ...this.viewBody() };
      tenant.secureViews.items.push(view);
      return view;
    },
    'secure-view.changed': ({ secureViews }) => {
      const view = secureViews.any(this.pick);
      return view ? { viewId: view.viewId, ...this.viewBody() } : null;
    },
    'secure-view.dropped': (tenant) => {
      const view = tenant.secureViews.draw(this.pick);
      if (!view) return null;
      tenant.taken.delete(`secure view ${view.name}`);
      return { viewId: view.viewId };
    },

    'user.created': (tenant) => {
      const userId = this.newId(tenant, tenant.users);
      return { userId, kind: 'user', profileVersion: 1, credentialVersion: 1, mustChangePassword: false };
    },
    'user.kind-changed': ({ users }) =>
      about('userId', users.any(this.pick), { kind: this.pick(2) === 0 ? 'user' : 'admin' }),
    'user.enabled': ({ users }) => about('userId', users.any(this.pick), {}),
    'user.disabled': ({ users }) => about('userId', users.any(this.pick), {}),
    'user.deleted': (tenant) => about('userId', this.gone(tenant, tenant.users), {}),
    'user.credential-changed': ({ users }) => {
      const mustChangePassword = this.pick(2) === 0;
      return about('userId', users.any(this.pick), { credentialVersion: ++this.made, mustChangePassword });
    },
    'user.profile-changed': ({ users }) => about('userId', users.any(this.pick), { profileVersion: ++this.made }),
  };

  /** A UUIDv7 in form, rising like one. */
  private newId(tenant: Tenant, bag?: Bag<string>, holds = ''): string {
    const digits = (++this.made).toString(16).padStart(15, '0');
    const id = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(12)}-8000-000000000000`;
    tenant.there.set(id, holds);
    bag?.items.push(id);
    return id;
  }

  private columnRule(): ColumnRule {
    if (this.pick(4) === 0) return { action: 'deny', transformSql: null, canonical: null };
    const canonical = `left(c, ${this.pick(9)})`;
    return { action: 'mask', transformSql: canonical, canonical };
  }

  private rowRule(): RowRule {
    const canonical = `(c = ${this.pick(9)})`;
    return { predicateSql: canonical, canonical };
  }

  private viewBody(): SecureViewBody {
    const base = { catalog: 'lake', schema: 'main', name: this.name(), kind: 'table' as const };
    const body = `SELECT c FROM lake.main.${base.name} WHERE (c < ${this.pick(9)})`;
    return { body, columns: ['c'], bases: [base] };
  }

  private name(): string {
    return `n${this.pick(this.shape.names)}`;
  }

  private named<K extends 'roleId' | 'groupId'>(key: K, tenant: Tenant, bag: Bag<string>) {
    const name = this.name();
    if (!take(tenant, `${key} ${name}`)) return null;
    const id = this.newId(tenant, bag, `${key} ${name}`);
    return about(key, id, { name, description: null, builtin: false });
  }

  /** Any of them, which is no longer there. */
  private gone({ there, taken }: Tenant, bag: Bag<string>): string | undefined {
    const id = bag.draw(this.pick);
    if (id === undefined) return undefined;
    taken.delete(there.get(id) ?? '');
    there.delete(id);
    return id;
  }

  private join(tenant: Tenant, kind: Edge, from: Bag<string>, to: Bag<string>): [string | undefined, string] {
    const [a, b] = [from.any(this.pick), to.any(this.pick)];
    if (a === undefined || b === undefined || !take(tenant, `${a} ${b}`)) return [undefined, ''];
    tenant.edges[kind].items.push([a, b]);
    return [a, b];
  }

  private part({ edges, there, taken }: Tenant, kind: Edge): [string | undefined, string] {
    const edge = edges[kind].draw(this.pick, (ids) => ids.every((id) => there.has(id)));
    if (!edge) return [undefined, ''];
    taken.delete(edge.join(' '));
    return edge;
  }
}

/** Data about a thing, if there is one. */
function about<K extends string, M>(key: K, id: string | undefined, more: M): (Record<K, string> & M) | null {
  return id === undefined ? null : ({ [key]: id, ...more } as Record<K, string> & M);
}

function take({ taken }: Tenant, what: string): boolean {
  return !taken.has(what) && taken.add(what) !== undefined;
}
