import { Module } from '@nestjs/common';
import { ChangePolicyHandler } from './change-policy.command';
import { DirectoryQuery } from './directory.query';
import { SqlAdministration } from './sql-administration';

/** The SQL administration dialect: what its statements do. */
@Module({ providers: [SqlAdministration, DirectoryQuery, ChangePolicyHandler], exports: [SqlAdministration] })
export class SqlAdminModule {}
