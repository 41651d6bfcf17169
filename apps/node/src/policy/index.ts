export { PolicyController } from './policy.controller';
