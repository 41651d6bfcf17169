export { FederatedSourceModule } from './federated-source.module';
