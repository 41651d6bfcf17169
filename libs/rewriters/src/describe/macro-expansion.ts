import { MacroOverload, UserMacro } from '../catalog';
import { fold, Token } from '../lexer';
import { bracketEnds, checkLimits, isOpening, ScreenRefusal } from '../screen';
import { areAdmitted, defaultFinding, macrosCalled } from './body-findings';
import { MacroClosure } from './closures';
import { SessionCatalog } from './named-tables';

/**
 * Words and signs that macros add where they are written out in the place of their calls, as for the aliases of a SELECT
 * list: the engine does so while it binds, and cannot be interrupted there. Sixteen macros, each of which names its
 * parameter twice, over one another take it 7 s.
 */
const MAX_ADDED = 10_000;

/**
 * Bounds a use of macros as the statement would be bounded that has their bodies in the place of the calls: its depth, what
 * it stands for, and what grows out of constants.
 *
 * @param tokens of a statement that calls no macro but admitted ones
 * @throws ScreenRefusal `statement_too_large`; `access_denied` for a macro that is called behind a dot, or by a default
 */
export function checkMacroUse(
  tokens: readonly Token[],
  { catalog, macros }: { catalog: SessionCatalog; macros: readonly MacroClosure[] },
): void {
  if (macros.length === 0) return;
  const expansion = new Expansion(catalog);
  const written = expansion.write(tokens);
  if (expansion.isUsed) checkLimits(written);
  for (const { macros: ofName } of macros) {
    const name = fold(ofName[0]?.name ?? '');
    if (hasOtherForm(name)) expansion.checkOtherForms(name, tokens.filter(isOtherForm).length);
  }
}

/** Functions that are called by signs and words, too: their arguments are not in brackets behind a name. */
const OTHER_FORMS = new Set(
  `timezone date_part array_extract array_slice list_value struct_pack struct_extract regexp_full_match map substring
  position trim ltrim rtrim overlay list_apply list_transform list_filter list_contains concat row`.split(/\s+/),
);
const WORDS = new Set('like ilike glob similar at extract for in'.split(' '));

function hasOtherForm(name: string): boolean {
  return OTHER_FORMS.has(name) || !/^[\p{L}_]/u.test(name);
}

function isOtherForm({ type, text, value }: Token): boolean {
  return type === 'operator' || text === '[' || text === '{' || text === '.' || (type === 'word' && WORDS.has(value));
}

/** Macros written out, over one statement. */
class Expansion {
  /** Bodies with the calls in them written out; null while that is under way. */
  private readonly bodies = new Map<MacroOverload, readonly Token[] | null>();
  private added = 0;
  isUsed = false;

  constructor(private readonly catalog: SessionCatalog) {}

  /** The tokens with the calls of macros written out, each overload that may be meant. */
  write(tokens: readonly Token[]): Token[] {
    const ends = bracketEnds(tokens);
    const out: Token[] = [];
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i] as Token;
      const macros = tokens[i + 1]?.text === '(' ? this.macrosOf(token) : [];
      if (macros.length === 0) {
        out.push(token);
        continue;
      }
      this.isUsed = true;
      this.leaveQualifier(token, out);
      const end = ends[i + 1] as number;
      const args = argumentsIn(tokens.slice(i + 2, end)).map((arg) => this.write(arg));
      const open = defaultFinding(token.value, macros, args.length);
      if (open) throw new ScreenRefusal('access_denied', open.message, open.rule);
      const bodies = macros
        .flatMap(({ overloads }) => overloads)
        .filter(({ parameters }) => parameters.length === args.length)
        .map((overload) => this.substitute(overload, args));
      append(out, bracketed(bodies));
      i = end;
    }
    return out;
  }

  private macrosOf({ type, value }: Token): readonly UserMacro[] {
    if (type !== 'word' && type !== 'quoted') return [];
    const macros = macrosCalled(value, this.catalog);
    return areAdmitted(macros, this.catalog) ? macros : [];
  }

  /** `x.f()` is `f(x)` to the engine, unless x is where f is. */
  private leaveQualifier({ value }: Token, out: Token[]): void {
    if (out[out.length - 1]?.text !== '.') return;
    const before = fold(out[out.length - 2]?.value ?? '');
    const places = macrosCalled(value, this.catalog).flatMap(({ catalog, schema }) => [fold(catalog), fold(schema)]);
    if (!places.includes(before)) {
      throw new ScreenRefusal(
        'access_denied',
        `the macro ${value} is called as ${value}(…), not behind a dot`,
        'function',
      );
    }
    while (out[out.length - 1]?.text === '.') out.splice(-2);
  }

  /** The body of an overload with the calls in it written out. */
  private bodyOf(overload: MacroOverload): readonly Token[] {
    const known = this.bodies.get(overload);
    if (known === null) throw new ScreenRefusal('statement_too_large', 'a macro calls itself');
    if (known) return known;
    this.bodies.set(overload, null);
    const body = this.write(overload.tokens);
    this.bodies.set(overload, body);
    return body;
  }

  private substitute(overload: MacroOverload, args: readonly Token[][]): Token[] {
    const { parameters } = overload;
    const given = new Map<string, Token[]>();
    args.forEach((arg, i) => {
      const named = isNamed(arg);
      given.set(fold(named ? (arg[0]?.value ?? '') : (parameters[i] ?? '')), bracketed([named ? arg.slice(2) : arg]));
    });
    const body = this.bodyOf(overload);
    const least = args.reduce((sum, arg) => sum + arg.length, 0);
    const out: Token[] = [];
    body.forEach((token, i) => {
      const arg = isParameter(body, i) ? given.get(fold(token.value)) : undefined;
      if (arg) append(out, arg);
      else out.push(token);
      this.checkAdded(out.length - least);
    });
    this.added += Math.max(0, out.length - least);
    return out;
  }

  private checkAdded(more: number): void {
    if (this.added + more <= MAX_ADDED) return;
    throw new ScreenRefusal('statement_too_large', `macros that stand for over ${MAX_ADDED} words and signs`);
  }

  /**
   * Where the arguments of a macro are not told none of its parameters may be written twice, or tell a size.
   *
   * @param uses at most so many
   */
  checkOtherForms(name: string, uses: number): void {
    for (const overload of macrosCalled(name, this.catalog).flatMap(({ overloads }) => overloads)) {
      const body = this.bodyOf(overload);
      this.added += body.length * uses;
      this.checkAdded(0);
      const names = body.flatMap(({ value }, i) => (isParameter(body, i) ? [fold(value)] : []));
      for (const parameter of overload.parameters.map(fold)) {
        if (names.filter((one) => one === parameter).length < 2) continue;
        throw new ScreenRefusal('statement_too_large', `the macro ${name} stands for an operand more than once`);
      }
      for (const operand of [TRUE, LONG_TEXT]) {
        checkLimits(
          this.substitute(
            overload,
            overload.parameters.map(() => [operand]),
          ),
        );
      }
    }
  }
}

const at = { lineBreakBefore: false, start: 0, end: 0 };
const punctuation = (text: string): Token => ({ type: 'punctuation', text, value: text, ...at });
/** Constants of which nothing is known: no number, and many characters. */
const TRUE: Token = { type: 'word', text: 'TRUE', value: 'true', ...at };
const LONG_TEXT: Token = { type: 'string', text: `'${'x'.repeat(1000)}'`, value: 'x'.repeat(1000), ...at };

/** As `push(...more)`, for lists longer than a call can take. */
function append(list: Token[], more: readonly Token[]): void {
  for (const token of more) list.push(token);
}

function bracketed(items: readonly (readonly Token[])[]): Token[] {
  const list = items.flatMap((item, i) => (i === 0 ? item : [punctuation(','), ...item]));
  return [punctuation('('), ...list, punctuation(')')];
}

/** The arguments between two brackets. */
function argumentsIn(tokens: readonly Token[]): Token[][] {
  const ends = bracketEnds(tokens);
  const list: Token[][] = [[]];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const last = list[list.length - 1] as Token[];
    if (isOpening(token)) {
      append(last, tokens.slice(i, (ends[i] as number) + 1));
      i = ends[i] as number;
    } else if (token.text === ',') list.push([]);
    else last.push(token);
  }
  return tokens.length === 0 ? [] : list;
}

/** `name := value`, `name => value`. */
function isNamed([name, sign]: readonly Token[]): boolean {
  return (name?.type === 'word' || name?.type === 'quoted') && (sign?.text === ':=' || sign?.text === '=>');
}

function isParameter(body: readonly Token[], i: number): boolean {
  const token = body[i];
  if (token?.type !== 'word' && token?.type !== 'quoted') return false;
  return body[i - 1]?.text !== '.' && body[i + 1]?.text !== '(';
}
