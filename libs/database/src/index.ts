export { migrate, MigrationError } from './migrate';
