export { registerEvents } from './register';
