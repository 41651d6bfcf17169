import { nodeConfig } from './config';
import { startNode } from './start';

startNode(nodeConfig(process.env)).catch((error: unknown) => {
  process.stderr.write(`gadwall node: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
