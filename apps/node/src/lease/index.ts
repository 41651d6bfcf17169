export { LeaseAgent } from './lease-agent';
export { LeaseKeeper } from './lease-keeper';
export { ManagerLine, ManagerRefusal } from './manager-line';
