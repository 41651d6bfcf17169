export { SessionStore } from './session-store';
