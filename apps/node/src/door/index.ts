export { listen, nodeDoor } from './door';
