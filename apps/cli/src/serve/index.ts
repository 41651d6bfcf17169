export { startManager, type ManagerProcess } from './manager-process';
export { registerServe } from './register';
