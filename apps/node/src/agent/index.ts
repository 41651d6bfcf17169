export { join } from './join';
export { ready } from './ready';
