import { Module } from '@nestjs/common';
import { ClientConfigController } from './client-config.controller';

/** What clients must know before they log in. */
@Module({ controllers: [ClientConfigController] })
export class ClientConfigModule {}
