export { dropSecureView, makeSecureView, type SecureViewMaker } from './make-secure-view';
