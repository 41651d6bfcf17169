export { SqlAdminModule } from './sql-admin.module';
export { type AdministrationAnswer, SqlAdministration } from './sql-administration';
export { writeListing } from './listing-writer';
