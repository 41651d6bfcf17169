/** Injection token of the manager's configuration. */
export const MANAGER_CONFIG = Symbol('manager configuration');
