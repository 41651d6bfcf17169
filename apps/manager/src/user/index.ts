export { UserModule } from './user.module';
export { keepBesideEvents, requirePassword, usernameOf } from './account';
