export * from './ast';
export * from './catalog';
export * from './classification';
export * from './describe';
export * from './description';
export * from './lexer';
export * from './plan';
export * from './screen';
