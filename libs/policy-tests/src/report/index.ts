export { junitReport } from './junit';
export { countsOf, textReport } from './text';
