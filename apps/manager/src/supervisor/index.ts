export { ChildProcesses, type ChildProcessesOptions, type ChildSpec, type ChildStatus } from './child-processes';
export { Watchdog } from './watchdog-client';
