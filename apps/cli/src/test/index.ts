export { registerTest } from './register';
