export { memoryCeiling } from './memory-ceiling';
export { MemoryGuard } from './memory-guard';
