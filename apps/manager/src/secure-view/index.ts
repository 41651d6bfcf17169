export { SecureViewModule } from './secure-view.module';
export { SecureViews } from './secure-views';
