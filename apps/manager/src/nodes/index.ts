export { NodeFleet } from './node-fleet';
export { NodeLink } from './node-link';
export { NodesModule } from './nodes.module';
