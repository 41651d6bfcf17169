export { type BarrierOutcome, Barriers, type PendingBarrier } from './barriers';
export { LeasesModule } from './leases.module';
export { type LeaseStatus, NodeLeases } from './node-leases';
