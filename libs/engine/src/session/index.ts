export { NodeSession, type OpenTransaction, type SessionOwner } from './node-session';
