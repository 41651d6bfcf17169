export { SecureViewController } from './secure-view.controller';
