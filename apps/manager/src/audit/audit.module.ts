import { Global, Module } from '@nestjs/common';
import { Audit } from './audit';

/** Audit records. */
@Global()
@Module({ providers: [Audit], exports: [Audit] })
export class AuditModule {}
