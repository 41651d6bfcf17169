export { ForSuperusers, ForUsers, Public } from './access';
export { AuthModule } from './auth.module';
export { Authentication, revokeSessions } from './authentication';
export { installAuthentication } from './authentication.hook';
export { Login } from './login';
export { Passwords } from './passwords';
export { type Authenticated, type Caller, FromCaller, FromPrincipal } from './principal';
