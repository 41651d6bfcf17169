export { ChildProcesses } from './child-processes';
export { Watchdog } from './watchdog-client';
