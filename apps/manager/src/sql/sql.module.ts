import { Module } from '@nestjs/common';
import { SqlAdminModule } from '../sql-admin';
import { SqlController } from './sql.controller';
import { SqlSessions } from './sql-sessions';
import { StatementGateway } from './statement-gateway';

/** The SQL door. */
@Module({ imports: [SqlAdminModule], controllers: [SqlController], providers: [StatementGateway, SqlSessions] })
export class SqlModule {}
