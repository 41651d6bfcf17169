import { Global, Module } from '@nestjs/common';
import { Acknowledgements } from './acknowledgements';
import { Barriers } from './barriers';
import { LeaseSweeper } from './lease-sweeper';
import { PostgresLeaseTable } from './lease-table';
import { NodeLeases } from './node-leases';
import { RegisteredNodes } from './registered-nodes';
import { Renewals } from './renewals';
import { StoreWatch } from './store-watch';
import { Versions } from './versions';
import { VersionStream } from './version-stream';

/** Leases of nodes, versions on their way to them, and the barrier of mutations. Source: DESIGN section 5. */
@Global()
@Module({
  providers: [
    Acknowledgements,
    Barriers,
    LeaseSweeper,
    NodeLeases,
    PostgresLeaseTable,
    RegisteredNodes,
    Renewals,
    StoreWatch,
    Versions,
    VersionStream,
  ],
  exports: [Barriers, NodeLeases],
})
export class LeasesModule {}
