import { Global, Module } from '@nestjs/common';
import { SecureViewController } from './secure-view.controller';
import { SecureViewQuery } from './secure-view.query';
import { SecureViews } from './secure-views';

/** Views that are read with their owner's rights. */
@Global()
@Module({ controllers: [SecureViewController], providers: [SecureViewQuery, SecureViews], exports: [SecureViews] })
export class SecureViewModule {}
