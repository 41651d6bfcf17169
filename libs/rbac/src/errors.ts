/**
 * The one error catalogue: what every door answers. A door translates an entry into its own protocol; nobody builds an
 * error by hand. `code` is the stable word on the wire, and several reasons may share one (reference: qod-api.md 1.1 to
 * 1.3, api.md "Errors"). Messages never hold a secret, a SQL text or another tenant's name.
 */
interface ErrorEntry {
  code: string;
  status: number;
  /** `{name}` parts are filled from the parameters of the error. */
  message: string;
  hint?: string;
  retryable?: boolean;
}

const catalogue = {
  // Who are you?
  no_session: { code: 'no_session', status: 401, message: 'authentication required' },
  invalid_session: { code: 'invalid', status: 401, message: 'the credential is not valid' },
  expired_session: { code: 'expired', status: 401, message: 'the session has expired' },
  revoked_session: { code: 'revoked', status: 401, message: 'the session was revoked' },
  invalid_credentials: { code: 'invalid_credentials', status: 401, message: 'invalid username or password' },
  blank_password: { code: 'invalid_credentials', status: 400, message: 'the password must not be blank' },
  password_change_required: {
    code: 'password_change_required',
    status: 401,
    message: 'the password must be changed before logging in',
  },
  no_session_identity: { code: 'no_session_identity', status: 401, message: 'this call needs a session of a user' },

  // May you?
  admin_required: { code: 'admin_required', status: 403, message: 'this call is for administrators' },
  superuser_required: { code: 'superuser_required', status: 403, message: '{what} is for superusers only' },
  tenant_forbidden: { code: 'tenant_forbidden', status: 403, message: 'the tenant is not yours to administer' },
  grant_not_held: {
    code: 'grant_not_held',
    status: 403,
    message: 'the change would give an access that you do not hold: {access}',
  },
  account_not_within: {
    code: 'grant_not_held',
    status: 403,
    message: 'the account holds an access that you do not hold: {access}',
  },
  change_too_broad: {
    code: 'change_too_broad',
    status: 403,
    message: 'the change touches more than {limit} different sets of memberships; a superuser can make it',
  },

  // Is the request well formed?
  malformed_request: { code: 'malformed_request', status: 400, message: 'the request body is not valid JSON' },
  invalid_request: { code: 'invalid_request', status: 400, message: '{detail}' },
  role_key: {
    code: 'invalid_request',
    status: 400,
    message: 'property role should not exist',
    hint: 'the account kind is `kind`; RBAC roles are `roles`',
  },
  unsupported_media_type: {
    code: 'unsupported_media_type',
    status: 415,
    message: 'the body must be sent as application/json',
  },
  payload_too_large: { code: 'payload_too_large', status: 413, message: 'the request body is too large' },
  not_acceptable: {
    code: 'not_acceptable',
    status: 406,
    message: 'answers are application/json, text/csv or application/vnd.apache.arrow.stream',
  },
  not_found: { code: 'not_found', status: 404, message: 'not found' },
  name_not_found: { code: 'not_found', status: 404, message: 'no such {kind}: {name}' },
  grant_not_found: { code: 'not_found', status: 404, message: '{detail}' },
  unsupported: { code: 'unsupported', status: 501, message: '{what} are not supported' },

  // Tenants, databases, pools
  invalid_tenant: { code: 'invalid_tenant', status: 400, message: '{detail}' },
  tenant_exists: { code: 'invalid_tenant', status: 409, message: 'tenant {name} already exists' },
  has_pools: { code: 'has_pools', status: 409, message: '{name} still has pools' },
  invalid_database: { code: 'invalid_database', status: 400, message: '{detail}' },
  database_exists: {
    code: 'invalid_database',
    status: 409,
    message: 'a database of that name or catalog exists: {name}',
  },
  invalid_source: { code: 'invalid_source', status: 400, message: '{detail}' },
  source_exists: { code: 'invalid_source', status: 409, message: 'a catalog {name} is there already' },
  source_in_service: {
    code: 'invalid_source',
    status: 409,
    message: 'pools of database {name} are in service: stop them first, for nodes attach sources when they start',
  },
  path_in_use: { code: 'path_in_use', status: 409, message: 'the data path belongs to another database' },
  invalid_pool: { code: 'invalid_pool', status: 400, message: '{detail}' },
  pool_exists: { code: 'invalid_pool', status: 409, message: 'pool {name} already exists in the tenant' },

  // Roles, groups, users, edges
  reserved_name: {
    code: 'reserved_name',
    status: 400,
    message: 'names that start with gadwall_ or qod_ are reserved for built-ins',
  },
  builtin_protected: { code: 'builtin_protected', status: 409, message: '{name} is a built-in and cannot be changed' },
  invalid_role: { code: 'invalid_role', status: 400, message: '{detail}' },
  role_exists: { code: 'invalid_role', status: 409, message: 'role {name} already exists' },
  invalid_group: { code: 'invalid_group', status: 400, message: '{detail}' },
  group_exists: { code: 'invalid_group', status: 409, message: 'group {name} already exists' },
  invalid_policy: { code: 'invalid_policy', status: 400, message: '{detail}' },
  policy_exists: {
    code: 'invalid_policy',
    status: 409,
    message: 'role {name} has a policy on {place} already: CREATE OR REPLACE changes it',
  },
  invalid_permission: { code: 'invalid_permission', status: 400, message: '{detail}' },
  invalid_membership: {
    code: 'invalid_membership',
    status: 400,
    message: 'both ends of a membership must belong to one tenant',
  },
  invalid_macro: { code: 'invalid_macro', status: 400, message: '{detail}' },
  invalid_secure_view: { code: 'invalid_secure_view', status: 400, message: '{detail}' },
  secure_view_exists: {
    code: 'invalid_secure_view',
    status: 409,
    message: 'there is a view {name} already: CREATE OR REPLACE SECURE VIEW changes it',
  },
  invalid_grant: { code: 'invalid_grant', status: 400, message: '{detail}' },
  invalid_user: { code: 'invalid_user', status: 400, message: '{detail}' },
  user_exists: { code: 'invalid_user', status: 409, message: 'the username is taken' },
  invalid_email: { code: 'invalid_email', status: 400, message: 'the e-mail address is not valid' },
  roles_required: {
    code: 'roles_required',
    status: 400,
    message: 'roles must not be empty; name gadwall_no_tables to start from nothing',
  },
  groups_required: {
    code: 'groups_required',
    status: 400,
    message: 'groups must not be empty; name gadwall_no_pools to start from nothing',
  },
  unknown_role: { code: 'unknown_role', status: 400, message: 'no such role: {name}' },
  unknown_group: { code: 'unknown_group', status: 400, message: 'no such group: {name}' },
  memberships_not_applicable: {
    code: 'memberships_not_applicable',
    status: 400,
    message: 'superusers take no roles and no groups',
  },
  cannot_lock_self: { code: 'cannot_lock_self', status: 400, message: 'you cannot disable or demote your own account' },
  cannot_delete_self: { code: 'cannot_delete_self', status: 400, message: 'you cannot delete your own account' },
  last_superuser: { code: 'last_superuser', status: 400, message: 'the last enabled superuser cannot be removed' },

  // Statements: api.md, "Errors"
  sql_error: { code: 'sql_error', status: 400, message: '{detail}' },
  /** No engine was asked: the screen cannot read the text. */
  unreadable_statement: { code: 'sql_error', status: 400, message: '{detail}' },
  single_statement_required: { code: 'single_statement_required', status: 400, message: '{detail}' },
  invalid_parameters: { code: 'invalid_parameters', status: 400, message: '{detail}' },
  statement_too_large: { code: 'statement_too_large', status: 400, message: '{detail}' },
  pool_forbidden: { code: 'pool_forbidden', status: 403, message: 'user:{user} has no access to pool {pool}' },
  user_disabled: { code: 'user_disabled', status: 403, message: 'the user is disabled' },
  tenant_disabled: { code: 'tenant_disabled', status: 403, message: 'the tenant is disabled' },
  pool_disabled: { code: 'pool_disabled', status: 403, message: 'the pool is disabled' },
  access_denied: { code: 'access_denied', status: 403, message: '{detail}' },
  transaction_aborted: {
    code: 'transaction_aborted',
    status: 409,
    message: 'transaction aborted: {reason}; ROLLBACK to continue',
  },
  /** By the engine, for an error in it; the other one is by policy. */
  transaction_failed: {
    code: 'transaction_aborted',
    status: 409,
    message: 'transaction aborted: an earlier statement failed; ROLLBACK to continue',
  },
  session_lost: {
    code: 'session_lost',
    status: 410,
    message: 'the session is gone with its node or its connection: open a new one',
  },
  too_many_sessions: {
    code: 'too_many_sessions',
    status: 429,
    message: 'too many sessions are open on this node; close some, or let them run idle',
    retryable: true,
  },
  too_many_statements: {
    code: 'too_many_statements',
    status: 429,
    message: 'too many statements at once',
    retryable: true,
  },
  cancelled: { code: 'cancelled', status: 499, message: 'the statement was cancelled' },
  statement_timeout: { code: 'statement_timeout', status: 504, message: 'the statement ran into its time limit' },
  authz_unavailable: {
    code: 'authz_unavailable',
    status: 503,
    message: 'authorization unavailable, retry',
    retryable: true,
  },
  node_lost: {
    code: 'pool_unavailable',
    status: 503,
    message: 'the node was lost while the statement ran: whether a change took effect is not known',
    retryable: true,
  },
  out_of_memory: {
    code: 'pool_unavailable',
    status: 503,
    message: 'the node ran out of memory: the statements on it were stopped',
    retryable: true,
  },
  pool_unavailable: { code: 'pool_unavailable', status: 503, message: 'the pool is not available', retryable: true },

  // Between manager and node
  draining: {
    code: 'draining',
    status: 503,
    message: 'the node takes nothing new, it is about to end',
    retryable: true,
  },
  stale: { code: 'stale', status: 409, message: 'the policy version of the handle is no longer current' },
  set_unknown: { code: 'set_unknown', status: 409, message: 'the node does not hold this set' },
  join_refused: { code: 'join_refused', status: 401, message: 'the registration proves no join token that is out' },
  node_unknown: { code: 'node_unknown', status: 401, message: 'no node of that key has registered' },
  handle_refused: { code: 'handle_refused', status: 401, message: 'the handle was refused: {reason}' },

  unavailable: { code: 'unavailable', status: 503, message: 'the control plane is not available', retryable: true },
  conflict: { code: 'conflict', status: 409, message: 'the change collides with another one; try again' },
  internal: { code: 'internal', status: 500, message: 'internal error' },
} as const satisfies Record<string, ErrorEntry>;

/** A reason why something was refused: an entry of the catalogue. */
export type ErrorReason = keyof typeof catalogue;

/** The catalogue, by reason. */
export const ERRORS: Readonly<Record<ErrorReason, ErrorEntry>> = catalogue;

/** A refusal by the domain or by a door, translated by each door into its protocol. */
export class DomainError extends Error {
  /** The stable word on the wire. */
  readonly code: string;
  readonly status: number;
  readonly hint: string | undefined;
  readonly retryable: boolean | undefined;

  constructor(
    readonly reason: ErrorReason,
    parameters: Readonly<Record<string, string>> = {},
  ) {
    const entry = ERRORS[reason];
    super(entry.message.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? ''));
    this.name = 'DomainError';
    this.code = entry.code;
    this.status = entry.status;
    this.hint = entry.hint;
    this.retryable = entry.retryable;
  }
}
