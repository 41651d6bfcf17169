export { readSuite, type ReadSuite } from './read-suite';
export { readWaits } from './read-waits';
export { selected, type Selection } from './select';
