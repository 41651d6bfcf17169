import { functionFinding, typeFinding } from '../classification';
import { Finding, StatementKind } from '../description';
import { fold, lex, LexicalError, render, Token, TooManyTokens } from '../lexer';
import { checkCount, ParameterValue, withParameters } from './parameters';
import { callNames } from './call-names';
import { checkExpansions } from './expansions';
import { checkGeneratedColumns } from './generated-columns';
import { checkPatterns } from './patterns';
import { isPlainQuery } from './plain-query';
import { Preparation, preparationIn, PreparedText, withNulls, withValues } from './prepared';
import { listingRequest, ListingRequest } from './listing-request';
import { checkDepth, checkWritten, MAX_STATEMENT_BYTES, MAX_TOKENS } from './limits';
import { checkReductions } from './reductions';
import { ScreenRefusal } from './refusal';
import { checkSizeMultipliers } from './size-multipliers';
import { ADMITTED_KINDS, CREATE_MODIFIERS, OBJECT_WORDS, Shape } from './statement-kinds';
import { bracketEnds, WrittenObject } from './written-object';
import { commonTables } from './common-tables';
import { tableDefinitionFindings } from './table-definition';
import { checkWindowOffsets } from './window-offsets';
import { writtenObjects } from './written-objects';
import { structureTypes, writtenTypes } from './written-types';

/** A statement that may be shown to the engine's parser (shape `select`) or binder (the others). */
export interface Screened {
  /** What the engine is given: put together from the tokens, without comments. */
  text: string;
  tokens: readonly Token[];
  kind: StatementKind;
  shape: Shape;
  /** The leading keyword, and for CREATE, DROP, ALTER and COMMENT the kind of object. */
  keyword: string;
  objectWord: string | null;
  temporary: boolean;
  /** The statement inside EXPLAIN, the body of CREATE VIEW. */
  inner: Screened | null;
  /** Names that stand for objects, where no syntax tree will tell them. */
  objects: WrittenObject[];
  /** Names of types, where no syntax tree will tell them; the engine's own ones are left out. */
  types: WrittenObject[];
  /** A type is named by a text that is not a literal. */
  computedType: boolean;
  /** What is refused to tenant users whatever their grants; the statement is described all the same where it is safe. */
  findings: Finding[];
  /** Nothing of this statement may reach the binder for a tenant user: describing it would have an effect. */
  unsafeToBind: boolean;
  /**
   * A query whose tokens tell all that a syntax tree would: no common table expression, no statement in the place of a
   * table, every name before "(" a grammar word or a function without effects, no name or string that may be a file.
   */
  plain: boolean;
  /** What SHOW, DESCRIBE, SUMMARIZE or PRAGMA asks, where it is answered by a query in its place. */
  request: ListingRequest | null;
}

/**
 * Step 1 of the pipeline (DESIGN section 6): exactly one statement of an admitted kind, bounded in size and nesting,
 * every name before "(" classified. Parameters become literals first, so that they are judged as what they are. Nothing
 * here calls the engine.
 *
 * @throws ScreenRefusal
 */
export function screen(source: string, parameters: readonly ParameterValue[] = []): Screened {
  return screenTokens(tokensOf(source, parameters));
}

/**
 * As `screen`, for one who keeps prepared statements: PREPARE, EXECUTE and DEALLOCATE are taken apart, and nothing in them
 * is screened yet.
 *
 * @throws ScreenRefusal
 */
export function screenOrPreparation(
  source: string,
  parameters: readonly ParameterValue[] = [],
): { screened: Screened } | { preparation: Preparation } {
  const tokens = tokensOf(source, parameters);
  const preparation = preparationIn(tokens);
  return preparation ? { preparation } : { screened: screenTokens(tokens) };
}

/** What may be prepared. */
const PREPARED: readonly (StatementKind | null)[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'];

/**
 * A statement that is prepared, with NULL for its parameters: what it names and calls is judged before any value is known.
 *
 * @throws ScreenRefusal
 */
export function screenPrepared(prepared: PreparedText): Screened {
  const keyword = keywordOf(prepared.tokens);
  if (!PREPARED.includes(kindOf(prepared.tokens))) {
    throw new ScreenRefusal('access_denied', unsupported(`PREPARE ${keyword}`), 'statement');
  }
  return screenTokens(withNulls(prepared));
}

/**
 * A prepared statement with values: from here on a statement like any other.
 *
 * @throws ScreenRefusal
 */
export function screenExecuted(prepared: PreparedText, values: readonly (readonly Token[])[]): Screened {
  const written = withValues(prepared, values);
  checkWritten(written);
  return screenTokens(written);
}

function tokensOf(source: string, parameters: readonly ParameterValue[]): Token[] {
  if (Buffer.byteLength(source) > MAX_STATEMENT_BYTES) {
    throw new ScreenRefusal('statement_too_large', `a statement has at most ${MAX_STATEMENT_BYTES} bytes`);
  }
  checkCount(parameters);
  const tokens = single(tokenize(source));
  if (parameters.length === 0) return tokens;
  const written = withParameters(tokens, parameters);
  checkWritten(written);
  return written;
}

function tokenize(source: string): Token[] {
  try {
    return lex(source, MAX_TOKENS);
  } catch (error) {
    if (error instanceof TooManyTokens) {
      throw new ScreenRefusal('statement_too_large', `over ${MAX_TOKENS} words and signs`);
    }
    if (error instanceof LexicalError)
      throw new ScreenRefusal('sql_error', `${error.message} at offset ${error.offset}`);
    throw error;
  }
}

function single(tokens: Token[]): Token[] {
  let end = tokens.length;
  while (end > 0 && tokens[end - 1]?.text === ';') end--;
  const statement = tokens.slice(0, end);
  if (statement.length === 0) throw new ScreenRefusal('sql_error', 'there is no statement in this text');
  if (statement.some((token) => token.text === ';' && token.type === 'punctuation')) {
    throw new ScreenRefusal('single_statement_required', 'one statement a call; send the others in calls of their own');
  }
  return statement;
}

function screenTokens(tokens: readonly Token[]): Screened {
  if (tokens.some((token) => token.type === 'parameter')) {
    throw new ScreenRefusal('invalid_parameters', 'the statement has a parameter that got no value');
  }
  checkLimits(tokens);
  const keyword = keywordOf(tokens);
  const admitted = Object.hasOwn(ADMITTED_KINDS, keyword) ? ADMITTED_KINDS[keyword] : undefined;
  if (!admitted) throw new ScreenRefusal('access_denied', unsupported(keyword), 'statement');
  const base: Screened = {
    text: render(tokens),
    tokens,
    kind: admitted.kind,
    shape: admitted.shape,
    keyword,
    objectWord: null,
    temporary: false,
    inner: null,
    objects: [],
    types: [],
    computedType: false,
    findings: [],
    unsafeToBind: false,
    plain: false,
    request: null,
  };
  if (admitted.superuserOnly) base.findings.push(finding('statement', unsupported(keyword)));
  switch (admitted.shape) {
    case 'select':
      return keyword === 'with' ? screenWith(base) : screenSelect(base);
    case 'explain':
      return screenExplain(base);
    case 'transaction':
      return screenTransaction(base);
    case 'show':
    case 'pivot':
    case 'pragma':
    case 'plain':
    case 'view':
      return screenPlain(base);
  }
}

/**
 * Refuses tokens whose binding could hold a thread of the engine for long: too deep, or standing for too much.
 *
 * @throws ScreenRefusal
 */
export function checkLimits(tokens: readonly Token[]): void {
  checkDepth(tokens);
  const ends = bracketEnds(tokens);
  checkExpansions(tokens, ends);
  checkGeneratedColumns(tokens, ends);
  checkPatterns(tokens);
  checkReductions(tokens, ends);
  checkWindowOffsets(tokens, ends);
  checkSizeMultipliers(tokens, ends);
}

/** The leading keyword; an opening bracket stands for a parenthesized query. */
function keywordOf(tokens: readonly Token[]): string {
  const first = tokens[0] as Token;
  if (first.type === 'word') return first.value;
  return first.text === '(' ? '(' : first.text.slice(0, 20);
}

/** The kind that the leading keyword stands for; null for none that is admitted. */
function kindOf(tokens: readonly Token[]): StatementKind | null {
  const keyword = keywordOf(tokens);
  return Object.hasOwn(ADMITTED_KINDS, keyword) ? (ADMITTED_KINDS[keyword]?.kind ?? null) : null;
}

function unsupported(keyword: string): string {
  return `statement uses ${keyword.toUpperCase()}, which is not supported`;
}

function finding(rule: Finding['rule'], message: string): Finding {
  return { rule, message, bindsSuperusers: false };
}

function screenSelect(base: Screened): Screened {
  const { types, computed: computedType } = structureTypes(base.tokens);
  const screened = withoutRefusedTypes({ ...base, types, computedType }, [
    ...types,
    ...writtenTypes(base.tokens).types,
  ]);
  if (screened.findings.length > 0) return screened;
  return isPlainQuery(base.tokens)
    ? { ...screened, plain: true, objects: writtenObjects(base.tokens).objects }
    : screened;
}

/** What a statement names of the engine's types that tenant users may not: found, and no objects of theirs. */
function withoutRefusedTypes(screened: Screened, written: readonly WrittenObject[]): Screened {
  const found = written.flatMap(({ parts }) => typeFinding(parts[parts.length - 1] ?? '') ?? []);
  const types = screened.types.filter(({ parts }) => typeFinding(parts[parts.length - 1] ?? '') === null);
  const unsafeToBind = screened.unsafeToBind || found.length > 0;
  return { ...screened, types, findings: [...screened.findings, ...found], unsafeToBind };
}

/** `WITH … INSERT|UPDATE|DELETE|MERGE` is that statement: the verb behind the common table expressions decides. */
function screenWith(base: Screened): Screened {
  const found = commonTables(base.tokens, bracketEnds(base.tokens), 0);
  const verb = found ? (base.tokens[found.next]?.value ?? '') : '';
  if (!['insert', 'update', 'delete', 'merge'].includes(verb)) return screenSelect(base);
  const { kind } = ADMITTED_KINDS[verb] as { kind: StatementKind };
  return screenPlain({ ...base, kind, shape: 'plain', keyword: verb });
}

const TRANSACTION_WORDS = new Set('begin start commit end rollback abort transaction work read only write'.split(' '));

/** These are not described: in a transaction that has failed the engine describes nothing, and it must end all the same. */
function screenTransaction(base: Screened): Screened {
  if (base.tokens.every((token) => token.type === 'word' && TRANSACTION_WORDS.has(token.value))) return base;
  throw new ScreenRefusal('access_denied', unsupported(`${base.keyword} with these words`), 'statement');
}

const EXPLAIN_WORDS = new Set(['analyze', 'verbose']);

/** What EXPLAIN may hold: ANALYZE runs it, and what runs has to be one that the node keeps account of. */
const EXPLAINED: readonly (StatementKind | null)[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'];

function screenExplain(base: Screened): Screened {
  const { tokens } = base;
  let i = 1;
  while (tokens[i]?.type === 'word' && EXPLAIN_WORDS.has(tokens[i]?.value ?? '')) i++;
  // `EXPLAIN (FORMAT json) …`: options, unless the bracket opens a query.
  if (tokens[i]?.text === '(' && ['format', 'analyze'].includes(tokens[i + 1]?.value ?? '')) {
    while (i < tokens.length && tokens[i]?.text !== ')') i++;
    i++;
  }
  const rest = tokens.slice(i);
  if (rest.length === 0) throw new ScreenRefusal('sql_error', 'EXPLAIN of nothing');
  // Before it is looked at: a statement is not screened once for each word before it.
  if (!EXPLAINED.includes(kindOf(rest))) {
    throw new ScreenRefusal('access_denied', unsupported(`EXPLAIN ${keywordOf(rest)}`), 'statement');
  }
  const inner = screenTokens(rest);
  if (!EXPLAINED.includes(inner.kind)) {
    throw new ScreenRefusal('access_denied', unsupported(`EXPLAIN ${inner.keyword}`), 'statement');
  }
  return {
    ...base,
    inner,
    objects: inner.objects,
    types: inner.types,
    computedType: inner.computedType,
    findings: [...base.findings, ...inner.findings],
  };
}

function screenPlain(base: Screened): Screened {
  const { objects, complete } = writtenObjects(base.tokens);
  const { types, computed: computedType } = writtenTypes(base.tokens);
  const screened = withoutRefusedTypes({ ...base, objects, types, computedType }, types);
  if (!complete) {
    screened.findings.push(
      finding('not-described', 'statement is not of a form whose names are known, so it is refused'),
    );
    screened.unsafeToBind = true;
  }
  for (const name of callNames(base.tokens)) {
    const found = functionFinding(name, 'scalar');
    if (found) {
      screened.findings.push(found);
      // Table functions run their arguments while they are bound, readers sniff their files.
      if (found.unclassified === undefined) screened.unsafeToBind = true;
    }
  }
  if (screened.objects.some((object) => object.string && base.keyword !== 'copy')) {
    screened.findings.push(finding('file', 'a string in table position names a file; no location is authorized'));
    screened.unsafeToBind = true;
  }
  switch (base.keyword) {
    case 'create':
    case 'drop':
    case 'alter':
    case 'comment':
      return screenDdl(screened);
    case 'copy':
      screened.findings.push(finding('file', 'COPY reads or writes files; no location is authorized'));
      screened.unsafeToBind = true;
      return screened;
    case 'set':
    case 'reset':
    case 'use':
      return screened;
    case 'pragma':
      return screenPragma(screened);
    case 'show':
    case 'describe':
    case 'desc':
    case 'summarize':
      return screenShow(screened);
    default:
      return screened;
  }
}

function screenDdl(screened: Screened): Screened {
  const { tokens, keyword } = screened;
  let i = 1;
  let temporary = false;
  if (keyword === 'create') {
    while (tokens[i]?.type === 'word' && CREATE_MODIFIERS.has(tokens[i]?.value ?? '')) {
      if (tokens[i]?.value === 'temp' || tokens[i]?.value === 'temporary') temporary = true;
      i++;
    }
  } else if (keyword === 'comment') i = 2;
  const word = tokens[i]?.value ?? '';
  const owner = Object.hasOwn(OBJECT_WORDS, word) ? OBJECT_WORDS[word] : undefined;
  const commentOnColumn = keyword === 'comment' && word === 'column';
  if (!owner && !commentOnColumn) {
    throw new ScreenRefusal('access_denied', unsupported(`${keyword} ${word}`), 'statement');
  }
  const result: Screened = { ...screened, objectWord: word, temporary };
  if (owner === 'superuser' || (temporary && word !== 'table' && word !== 'view')) {
    const what = `${keyword} ${temporary ? 'temporary ' : ''}${word}`;
    result.findings.push(finding('statement', unsupported(what)));
    result.unsafeToBind = true;
  }
  if (word === 'table') result.findings.push(...tableDefinitionFindings(tokens));
  if (keyword !== 'create') return result;
  if (word === 'macro' || word === 'function') return withMacroBody(result);
  return word === 'view' ? withViewBody(result) : result;
}

/**
 * A superuser's macro may hold `query('…')` of a text that passes this screen, and `query_table()`: neither runs before the
 * macro is used, and then what it does is in the plan.
 */
function withMacroBody(screened: Screened): Screened {
  const { tokens, findings } = screened;
  const allowed = tokens.every((token, i) => {
    if (token.type === 'string' || fold(token.value) !== 'query' || tokens[i + 1]?.text !== '(') return true;
    const text = tokens[i + 2];
    return text?.type === 'string' && tokens[i + 3]?.text === ')' && passesScreen(text.value);
  });
  const names = ['query', 'query_table'].map((name) => functionFinding(name, 'scalar')?.message);
  return {
    ...screened,
    findings: findings.map((found) =>
      allowed && names.includes(found.message.toLowerCase()) ? { ...found, bindsSuperusers: false } : found,
    ),
  };
}

function passesScreen(text: string): boolean {
  try {
    return screen(text).shape === 'select';
  } catch (error) {
    if (error instanceof ScreenRefusal) return false;
    throw error;
  }
}

/** The body of a view is not in the plan of CREATE VIEW: it is judged as the query that it is. */
function withViewBody(screened: Screened): Screened {
  const { tokens } = screened;
  let depth = 0;
  const as = tokens.findIndex((token) => {
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    return depth === 0 && token.type === 'word' && token.value === 'as';
  });
  if (as < 0 || as === tokens.length - 1) throw new ScreenRefusal('sql_error', 'CREATE VIEW without AS and a query');
  const body = tokens.slice(as + 1);
  const inner = kindOf(body) === 'SELECT' ? screenTokens(body) : null;
  if (inner?.shape !== 'select')
    throw new ScreenRefusal('access_denied', unsupported('CREATE VIEW of this query'), 'statement');
  const objects = screened.objects.filter(({ access }) => access !== 'read');
  const { computedType } = inner;
  return { ...screened, shape: 'view', inner, objects, types: inner.types, computedType };
}

/** SHOW, DESCRIBE and SUMMARIZE of a name are answered by a query; of anything else they list what no plan names. */
function screenShow(screened: Screened): Screened {
  const request = listingRequest(screened.tokens);
  if (request) return requested(screened, request, 1);
  const refusal = finding('listing', unsupported(screened.keyword));
  return { ...screened, shape: 'show', unsafeToBind: true, findings: [...screened.findings, refusal] };
}

/** What is asked about is judged by its name, as a read of it; the engine is shown nothing of this statement. */
function requested(screened: Screened, request: ListingRequest, at: number): Screened {
  const objects = request.parts.length > 0 ? [read([...request.parts], at)] : [];
  return { ...screened, shape: 'show', objects, unsafeToBind: true, findings: [], request };
}

function read(parts: string[], at: number): WrittenObject {
  return { parts, kind: 'table', access: 'read', string: false, certain: true, at };
}

/**
 * PRAGMA arguments run while the engine parses, and one in a plan request can end the process: none is ever shown to it.
 * `PRAGMA table_info('t')` and `PRAGMA show('t')` name the object that they list.
 */
function screenPragma(screened: Screened): Screened {
  const [, name, bracket, argument, close, ...more] = screened.tokens;
  const lists = ['table_info', 'show'].includes(name?.value ?? '') && bracket?.text === '(' && close?.text === ')';
  const rule = lists ? 'listing' : 'statement';
  const refusal = { rule, message: unsupported('PRAGMA'), bindsSuperusers: true } as const;
  const refused = { ...screened, unsafeToBind: true, findings: [refusal] };
  if (
    !lists ||
    more.length > 0 ||
    (argument?.type !== 'string' && argument?.type !== 'word' && argument?.type !== 'quoted')
  )
    return refused;
  const parts = argument.type === 'string' ? splitName(argument.value) : [argument.value];
  if (!parts) return refused;
  return requested(screened, { what: name?.value === 'show' ? 'describe' : 'table-info', parts }, 3);
}

function splitName(name: string): string[] | null {
  const tokens = (() => {
    try {
      return lex(name);
    } catch {
      return [];
    }
  })();
  const parts = tokens.filter((_, i) => i % 2 === 0);
  const dots = tokens.filter((_, i) => i % 2 === 1);
  if (parts.length === 0 || dots.some((t) => t.text !== '.')) return null;
  if (!parts.every((t) => t.type === 'word' || t.type === 'quoted')) return null;
  return parts.map((t) => (t.type === 'word' ? t.text : t.value));
}
