import { createToken, type IToken, Lexer, type TokenType } from 'chevrotain';
import { quoteLiteral, type Token } from '@gadwall/rewriters';

/** Words of the grammar. None is reserved: each is a name too, where a name stands. */
const KEYWORDS = [
  ...[
    'ADD',
    'ADMIN',
    'ALL',
    'ALTER',
    'CHANGE',
    'COLUMN',
    'CONNECT',
    'CREATE',
    'DDL',
    'DELETE',
    'DENY',
    'DISABLE',
    'DROP',
  ],
  ...[
    'EFFECTIVE',
    'ENABLE',
    'EXISTS',
    'FOR',
    'FROM',
    'GRANT',
    'GRANTS',
    'GROUP',
    'GROUPS',
    'IF',
    'INSERT',
    'MASK',
    'ON',
  ],
  ...['OR', 'PASSWORD', 'POLICIES', 'POLICY', 'POOL', 'PRIVILEGES', 'REPLACE', 'REQUIRE', 'REVOKE', 'ROLE', 'ROLES'],
  ...['AS', 'ROW', 'SECURE', 'SELECT', 'SHOW', 'TABLE', 'TO', 'UPDATE', 'USER', 'USERS', 'USING', 'VIEW', 'WITH'],
] as const;

export type Keyword = (typeof KEYWORDS)[number];

/** A type of token; it has no pattern, for our own lexer splits the text. */
const tokenType = (name: string, label: string, categories: TokenType[] = []): TokenType =>
  createToken({ name, label, categories, pattern: Lexer.NA });

/** Whatever may stand in a policy's expression, or in the query of a view, but for round brackets. */
export const Part = tokenType('Part', 'an expression');
export const Name = tokenType('Name', 'a name', [Part]);
/** A name in quotes: a quoted `*` is no wildcard. */
export const Quoted = tokenType('Quoted', 'a name in quotes', [Name]);
const Word = tokenType('Word', 'a name', [Name]);
export const Text = tokenType('Text', "a string in '…'", [Part]);
export const Star = tokenType('Star', '*', [Part]);
export const Dot = tokenType('Dot', '.', [Part]);
export const Comma = tokenType('Comma', ',', [Part]);
const Other = tokenType('Other', 'an operator', [Part]);
export const Open = tokenType('Open', '(');
export const Close = tokenType('Close', ')');
/** Stands at the end alone, where the statement may as well just end. */
export const Semicolon = tokenType('Semicolon', 'the end of the statement');

/** The keyword types, by their word. */
export const K = Object.fromEntries(KEYWORDS.map((word) => [word, tokenType(word, word, [Name])])) as Record<
  Keyword,
  TokenType
>;

export const VOCABULARY: TokenType[] = [
  ...[Part, Name, Quoted, Word, Text, Star, Dot, Comma, Other, Open, Close, Semicolon],
  ...Object.values(K),
];

const PUNCTUATION: Readonly<Record<string, TokenType>> = {
  '.': Dot,
  ',': Comma,
  '(': Open,
  ')': Close,
  ';': Semicolon,
  '*': Star,
};

function typeOf(token: Token): TokenType {
  switch (token.type) {
    case 'word': {
      const word = token.value.toUpperCase();
      return Object.hasOwn(K, word) ? K[word as Keyword] : Word;
    }
    case 'quoted':
      return Quoted;
    case 'string':
      // X'…' and B'…' are no texts.
      return token.text === quoteLiteral(token.value) ? Text : Other;
    case 'punctuation':
    case 'operator':
      return PUNCTUATION[token.text] ?? Other;
    case 'number':
    case 'parameter':
    case 'placeholder':
      return Other;
  }
}

/** A token as the parser takes it; `image` is what it means: the name as typed, or the text of a string. */
export interface AdminToken extends IToken {
  payload: {
    token: Token;
    /** A comment stands between it and the token before. */
    commentBefore: boolean;
  };
}

/** Gives every token of a text its type. */
export function typed(text: string, tokens: readonly Token[]): AdminToken[] {
  return tokens.map((token, i) => {
    const tokenType = typeOf(token);
    const gap = text.slice(tokens[i - 1]?.end ?? 0, token.start);
    return {
      image: token.type === 'word' ? token.text : token.value,
      startOffset: token.start,
      tokenType,
      tokenTypeIdx: tokenType.tokenTypeIdx as number,
      payload: { token, commentBefore: gap.includes('--') || gap.includes('/*') },
    };
  });
}
