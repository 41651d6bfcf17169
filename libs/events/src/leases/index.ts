export {
  acknowledge,
  type Barrier,
  type BarrierReport,
  gone,
  type HashOf,
  type LeaseRow,
  type NodeState,
  openBarrier,
  reportOf,
} from './barrier';
export type { VersionFollower, VersionPublisher } from './bus';
export {
  deadLeases,
  isSettled,
  NO_LEASES_SEEN,
  seeLeases,
  type SeenLeases,
  type SeenStore,
  seeStore,
  type StoreIdentity,
} from './lease-watch';
export type {
  Acknowledgement,
  RenewalAnswer,
  RenewalRequest,
  RunningPrincipal,
  StatementSubject,
  SignedContent,
  StreamHead,
  VersionMessage,
} from './messages';
export {
  canStart,
  type Instant,
  isCurrent,
  learn,
  NO_LEASE,
  type NodeLease,
  type NodeTiming,
  renewed,
} from './node-lease';
export { grantLeases, type LeaseTable, type Renewal } from './renewal';
export { ed25519Signer, ed25519Verifier, seal, type Sign, type Signed, unseal, type Verify } from './signature';
export { DEFAULT_LEASE_TIMING, leaseTiming, type LeaseTiming } from './timing';
