export { nodeConfig, type NodeConfig } from './config';
