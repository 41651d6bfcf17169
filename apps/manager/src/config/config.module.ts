import { type DynamicModule, Module } from '@nestjs/common';
import { MANAGER_CONFIG } from './config.token';
import type { ManagerConfig } from './config';

/** Gives the configuration to whoever asks for {@link MANAGER_CONFIG}. */
@Module({})
export class ConfigModule {
  static of(config: ManagerConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: MANAGER_CONFIG, useValue: config }],
      exports: [MANAGER_CONFIG],
    };
  }
}
