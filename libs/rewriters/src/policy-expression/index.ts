export { boundExpression, type Identity } from './bind';
export { canonicalText } from './canonical';
export { checkExpression, type PolicyKind } from './check';
export { PolicyFault } from './fault';
export { boundText, type ExpressionParser, type PolicyExpression, readExpression } from './read-expression';
export { expressionIn } from './statement';
export { parameterised, type Parameterised } from './tokens';
