export * from './description';
