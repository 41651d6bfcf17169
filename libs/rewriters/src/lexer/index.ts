export { firstTokens, fold, lex, lexTemplate, quoteIdentifier, quoteLiteral, render } from './lex';
export { mayBeAlias } from './keywords';
export { LexicalError, type Token, TooManyTokens } from './token';
export { type Replacement, standsAt, startsOf, withTexts } from './places';
