export { NodeDirectory, type NodeResponse } from './node-directory';
export { PoolModule } from './pool.module';
