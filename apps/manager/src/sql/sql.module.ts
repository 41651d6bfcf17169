import { Module } from '@nestjs/common';
import { SqlController } from './sql.controller';
import { SqlSessions } from './sql-sessions';
import { StatementGateway } from './statement-gateway';

/** The SQL door. */
@Module({ controllers: [SqlController], providers: [StatementGateway, SqlSessions] })
export class SqlModule {}
