import { type IToken, tokenLabel } from 'chevrotain';
import { lexTemplate, LexicalError, type Token, TooManyTokens } from '@gadwall/rewriters';
import { AdminGrammar } from './grammar/admin.grammar';
import { Misplaced } from './grammar/names.grammar';
import type { AdminStatement } from './statement';
import { AdminSyntaxError, placeOf } from './syntax-error';
import { type AdminToken, typed } from './grammar/vocabulary';

/** Tokens of one statement at most, and brackets in one another. */
const MAX_TOKENS = 2048;
const MAX_DEPTH = 64;

/** Made at its first use: analysing the grammar takes some 50 ms. One serves all, for parsing waits for nothing. */
let grammar: AdminGrammar | undefined;

/**
 * The statement of a text: one, with at most one `;` behind it.
 *
 * @throws AdminSyntaxError with the place, and what could stand there
 */
export function parseAdministration(text: string): AdminStatement {
  const tokens = typed(text, tokensOf(text));
  refuseDepth(text, tokens);
  grammar ??= new AdminGrammar();
  grammar.input = tokens;
  try {
    const statement = grammar.statement();
    if (grammar.errors.length === 0) return statement;
  } catch (error) {
    if (error instanceof Misplaced) throw new AdminSyntaxError(error.message, placeOf(text, error.token.startOffset));
    throw error;
  }
  throw syntaxError(grammar, text, tokens);
}

function tokensOf(text: string): Token[] {
  try {
    // Identity tokens of policies, which can stand in their expressions alone.
    return lexTemplate(text, MAX_TOKENS);
  } catch (error) {
    if (error instanceof LexicalError) throw new AdminSyntaxError(error.message, placeOf(text, error.offset));
    if (error instanceof TooManyTokens) {
      throw new AdminSyntaxError(`the statement has more than ${MAX_TOKENS} words and signs`, placeOf(text, 0));
    }
    throw error;
  }
}

function refuseDepth(text: string, tokens: readonly AdminToken[]): void {
  let depth = 0;
  for (const { image, startOffset, payload } of tokens) {
    if (payload.token.type !== 'punctuation') continue;
    if (image === '(') depth++;
    if (image === ')') depth--;
    if (depth > MAX_DEPTH) {
      throw new AdminSyntaxError(`brackets in one another are ${MAX_DEPTH} at most`, placeOf(text, startOffset));
    }
  }
}

/**
 * The first token that cannot stand where it does: the parser stops where it had to choose, which is up to its lookahead
 * before.
 */
function syntaxError(parser: AdminGrammar, text: string, tokens: readonly IToken[]): AdminSyntaxError {
  const [error] = parser.errors;
  const stopped = error === undefined ? -1 : tokens.indexOf(error.token);
  let at = stopped < 0 ? tokens.length : stopped;
  let possible = expectedAfter(parser, tokens, at);
  for (let ahead = tokens[at]; ahead !== undefined; ahead = tokens[at]) {
    const further = expectedAfter(parser, tokens, at + 1);
    if (further.length === 0) break;
    possible = further;
    at++;
  }
  const wrong = tokens[at];
  const expected = possible.length > 0 ? possible : ['the end of the statement'];
  const offset = wrong?.startOffset ?? text.length;
  return new AdminSyntaxError(`${listed(expected)} expected`, placeOf(text, offset), expected);
}

/** Labels of what could stand behind the first `count` tokens. */
function expectedAfter(parser: AdminGrammar, tokens: readonly IToken[], count: number): string[] {
  const next = parser.computeContentAssist('statement', tokens.slice(0, count));
  return [...new Set(next.map(({ nextTokenType }) => tokenLabel(nextTokenType)))];
}

function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join();
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
