export { firstTokens, fold, lex, lexTemplate, quoteIdentifier, quoteLiteral, render } from './lex';
export { LexicalError, type Token, TooManyTokens } from './token';
