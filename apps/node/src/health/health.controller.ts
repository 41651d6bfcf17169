import { Controller, Get } from '@nestjs/common';
import { LeaseKeeper } from '../lease';

/** How a node is, for whoever watches it. */
interface NodeHealth {
  nodeId: string;
  /** `lapsed`: it refuses every statement until it has renewed. */
  lease: 'lasts' | 'lapsed';
  /** The newest versions that it knows, by stream. */
  versions: Record<string, number>;
  /** Statements refused since its start because the lease had lapsed. */
  refusedForLease: number;
}

@Controller('internal/health')
export class HealthController {
  constructor(private readonly lease: LeaseKeeper) {}

  @Get()
  health(): NodeHealth {
    const { nodeId, lasts, versions, refused } = this.lease;
    return { nodeId, lease: lasts ? 'lasts' : 'lapsed', versions, refusedForLease: refused };
  }
}
