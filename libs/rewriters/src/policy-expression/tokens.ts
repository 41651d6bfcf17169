import { lexTemplate, LexicalError, render, Token, TooManyTokens } from '../lexer';
import { checkLimits, ScreenRefusal } from '../screen';
import { PolicyFault } from './fault';

/** Characters of an expression as its author writes it; the canonical form has a limit of its own. */
const MAX_SOURCE = 8_192;
/** Words and signs of it. */
const MAX_WORDS = 2_000;

const PLAIN: ReadonlyMap<string, string> = new Map([
  ['user', 'user'],
  ['tenant', 'tenant'],
  ['tenantId', 'tenant'],
  ['roles', 'roles'],
  ['groups', 'groups'],
]);
const NAMED = /^(claims|attr)\.([A-Za-z_][A-Za-z0-9_]*)$/;
const KNOWN = '${user}, ${tenant}, ${tenantId}, ${roles}, ${groups}, ${claims.<name>} and ${attr.<name>}';

/** An expression whose identity tokens are parameters of the engine's. */
export interface Parameterised {
  /** One expression, to be read behind `SELECT `. */
  sql: string;
  /** The tokens in it, each once: `user`, `tenant`, `roles`, `groups`, `claims.<name>`, `attr.<name>`. */
  tokens: string[];
}

/**
 * Puts a named parameter in the place of every identity token (seed 000, "Identity substitution tokens"): `$user`,
 * `$tenant` (also for `${tenantId}`), `$claims__<name>` … They are recognised outside of strings, quoted names and
 * comments only; comments are dropped. What would hold a thread of the engine while it binds is refused as in a statement.
 *
 * @throws PolicyFault
 */
export function parameterised(text: string): Parameterised {
  const tokens = new Set<string>();
  const written = lexed(text).map((token) => {
    if (token.type !== 'placeholder') return token;
    const name = tokenName(token);
    tokens.add(name);
    return { ...token, type: 'parameter' as const, text: parameterOf(name), value: parameterOf(name) };
  });
  checkSize(written);
  return { sql: render(written), tokens: [...tokens].sort() };
}

function lexed(text: string): Token[] {
  if (text.length > MAX_SOURCE) throw new PolicyFault(`an expression has at most ${MAX_SOURCE} characters`);
  const tokens = lexedWords(text);
  if (tokens.length === 0) throw new PolicyFault('there is no expression in this text');
  for (const { type, text: word } of tokens) {
    if (type === 'parameter') throw new PolicyFault(`${word} is a parameter; a policy takes ${KNOWN}`);
    if (type === 'punctuation' && word === ';') throw new PolicyFault('an expression has no ";"');
  }
  return tokens;
}

function lexedWords(text: string): Token[] {
  try {
    return lexTemplate(text, MAX_WORDS);
  } catch (error) {
    if (error instanceof TooManyTokens) throw new PolicyFault(`an expression has at most ${MAX_WORDS} words and signs`);
    if (error instanceof LexicalError) throw new PolicyFault(`${error.message} at offset ${error.offset}`);
    throw error;
  }
}

function tokenName({ value }: Token): string {
  const plain = PLAIN.get(value);
  if (plain !== undefined) return plain;
  if (NAMED.test(value)) return value;
  throw new PolicyFault(`\${${value}} is no identity token; there are ${KNOWN}`);
}

function checkSize(tokens: readonly Token[]): void {
  try {
    checkLimits(tokens);
  } catch (error) {
    if (error instanceof ScreenRefusal) throw new PolicyFault(error.message);
    throw error;
  }
}

/** The parameter that stands for a token. */
function parameterOf(token: string): string {
  return `$${token.replace('.', '__')}`;
}

/** The token that a parameter stands for, given without its `$`; null for one that no token makes. */
export function tokenOf(parameter: string): string | null {
  const named = /^(claims|attr)__(.+)$/.exec(parameter);
  const token = named ? `${named[1]}.${named[2]}` : parameter;
  return NAMED.test(token) || PLAIN.get(token) === token ? token : null;
}
