export { ready, register } from './register';
