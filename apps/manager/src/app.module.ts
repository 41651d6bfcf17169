import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { LoggerModule } from 'nestjs-pino';
import { AuditModule } from './audit';
import { AuthModule } from './auth';
import { ClientConfigModule } from './client-config';
import { ColumnPolicyModule } from './column-policy';
import { ConfigModule, type ManagerConfig } from './config';
import { DatabaseModule } from './database';
import { EffectiveSetModule } from './effective-set';
import { FederatedSourceModule } from './federated-source';
import { GroupModule } from './group';
import { HealthModule } from './health';
import { MetricsModule } from './metrics';
import { loggingOf } from './logging';
import { LeasesModule } from './leases';
import { MacroModule } from './macro';
import { MembershipModule } from './membership';
import { MutationModule } from './mutation';
import { NodesModule } from './nodes';
import { PolicyCheckModule } from './policy-check';
import { PoolModule } from './pool';
import { PoolPermissionModule } from './pool-permission';
import { type OpenDatabase, PostgresModule } from './postgres';
import { RoleModule } from './role';
import { RowPolicyModule } from './row-policy';
import { SecureViewModule } from './secure-view';
import { SqlModule } from './sql';
import type { Watchdog } from './supervisor';
import { TenantModule } from './tenant';
import { UserModule } from './user';

/** The manager: everything it is made of. */
@Module({})
export class AppModule {
  static of(config: ManagerConfig, database: OpenDatabase, watchdog: Watchdog | null): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config),
        LoggerModule.forRoot(loggingOf(config)),
        CqrsModule.forRoot(),
        PostgresModule.of(database),
        AuditModule,
        AuthModule,
        LeasesModule,
        MutationModule,
        EffectiveSetModule,
        NodesModule.of(watchdog),
        TenantModule,
        DatabaseModule,
        // Before pools, whose status route has parameters where grants have a fixed word.
        PoolPermissionModule,
        PoolModule,
        UserModule,
        PolicyCheckModule,
        RoleModule,
        ColumnPolicyModule,
        RowPolicyModule,
        GroupModule,
        MembershipModule,
        MacroModule,
        SecureViewModule,
        FederatedSourceModule,
        SqlModule,
        ClientConfigModule,
        HealthModule,
        MetricsModule,
      ],
    };
  }
}
