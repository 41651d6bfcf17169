import { isLoopback } from '@gadwall/link';
import { Controller, Get, Ip } from '@nestjs/common';
import { LeaseKeeper } from '../lease';

/** How a node is, for whoever watches it. */
interface NodeHealth {
  /** `lapsed`: it refuses every statement until it has renewed. */
  lease: 'lasts' | 'lapsed';
}

/** What its versions tell of tenants is for this machine alone: nobody shows a credential here. */
interface NodeDetails extends NodeHealth {
  nodeId: string;
  /** The newest versions that it knows, by stream. */
  versions: Record<string, number>;
  /** Statements refused since its start because the lease had lapsed. */
  refusedForLease: number;
}

@Controller('internal/health')
export class HealthController {
  constructor(private readonly lease: LeaseKeeper) {}

  @Get()
  health(@Ip() caller: string): NodeHealth | NodeDetails {
    const { nodeId, lasts, versions, refused } = this.lease;
    const lease = lasts ? 'lasts' : 'lapsed';
    return isLoopback(caller) ? { nodeId, lease, versions, refusedForLease: refused } : { lease };
  }
}
