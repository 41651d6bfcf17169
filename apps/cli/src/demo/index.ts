export { registerDemo } from './register';
