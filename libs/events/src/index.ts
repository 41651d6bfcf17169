export { EventCatalogue, type EventTypeDefinition } from './catalogue';
export { ReplayError, UnknownEvent, VersionConflict } from './errors';
export {
  GENESIS_HASH,
  SYSTEM_STREAM,
  type Actor,
  type MutationContext,
  type NewEvent,
  type RecordedEvent,
} from './event';
export {
  EventStore,
  type CommitListener,
  type Committed,
  type Decision,
  type EventStoreOptions,
  type MutationTransaction,
} from './event-store';
export type { Projection } from './projection';
export { queryable, type Queryable } from './queryable';
export type { Head, StreamSelection } from './streams';
export { POLICY_PROJECTIONS } from './projections';
export { rebuild, type Difference, type Rebuild, type RebuildOptions } from './rebuild';
export { verify, type ChainProblem, type Verification, type VerifyOptions } from './verify';
export { listEvents, type EventFilter } from './list';
export * from './leases';
