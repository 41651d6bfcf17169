export { NodeSession, type OpenTransaction, type SessionOwner } from './node-session';
export { SessionStore } from './session-store';
