export { FileFault } from './file-fault';
export type { Cell, Place } from './place';
export { suggestion } from './suggestion';
export { readYaml } from './yaml-file';
