export { Drain } from './drain';
