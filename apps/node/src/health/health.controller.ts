import { isLoopback } from '@gadwall/link';
import { Controller, Get, Ip } from '@nestjs/common';
import { LeaseKeeper } from '../lease';
import { EventLoop, type LoopDelay } from './event-loop';

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
  /** How late its thread came to what was due in the last window; null at first. */
  loopDelay: LoopDelay | null;
}

@Controller('internal/health')
export class HealthController {
  constructor(
    private readonly lease: LeaseKeeper,
    private readonly loop: EventLoop,
  ) {}

  @Get()
  health(@Ip() caller: string): NodeHealth | NodeDetails {
    const { nodeId, lasts, versions, refused } = this.lease;
    const lease = lasts ? 'lasts' : 'lapsed';
    if (!isLoopback(caller)) return { lease };
    return { nodeId, lease, versions, refusedForLease: refused, loopDelay: this.loop.delay };
  }
}
