export { Audit, type AuditRecord } from './audit';
export { AuditModule } from './audit.module';
