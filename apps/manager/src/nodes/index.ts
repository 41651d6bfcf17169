export { NodeFleet } from './node-fleet';
export { NodeLink } from './node-link';
export { NodeQuestions } from './node-questions';
export { NodesModule } from './nodes.module';
