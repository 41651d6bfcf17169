export { firstTokens, fold, lex, quoteIdentifier, quoteLiteral, render } from './lex';
export { LexicalError, type Token, TooManyTokens } from './token';
