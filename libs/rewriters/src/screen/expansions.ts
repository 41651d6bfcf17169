import { fold, Token } from '../lexer';
import { commonTables } from './common-tables';
import { ScreenRefusal } from './refusal';
import { BracketEnds, isName, isOpening } from './written-object';

/** Words and signs of a statement in which every common table expression is written out in the place of its name. */
const MAX_EXPANDED = 200_000;
/**
 * What aliases of a SELECT list add where they are written out in the place of their names: the engine does so while it
 * binds, in about 0.3 ms a word where it folds constants.
 */
const MAX_ALIASES = 10_000;

/** Words that may stand before the name of a common table expression where it is meant. */
const BEFORE_TABLE = new Set(['from', 'join', 'table', 'lateral', 'pivot', 'unpivot', ',', '(', ':']);
/** Words that end an item of a SELECT list. */
const CLAUSES = new Set(
  'select from where group order having limit offset union except intersect returning window qualify set values'.split(
    ' ',
  ),
);

/** So few names cannot stand for so much text. */
const FEW_NAMES = 16;

/** Refuses a text that a few names blow up: each of them twice in the next one makes a million of twenty. */
export function checkExpansions(tokens: readonly Token[], ends: BracketEnds): void {
  let names = 0;
  let common = false;
  for (const token of tokens) {
    if (token.type === 'quoted') names++;
    else if (token.type === 'word') {
      if (!CLAUSES.has(token.value)) names++;
      if (token.value === 'with') common = true;
    }
  }
  if (names <= FEW_NAMES) return;
  if (common) checkCommonTables(tokens, ends);
  checkAliases(tokens);
}

function checkCommonTables(tokens: readonly Token[], ends: BracketEnds): void {
  const weights = new Map<string, number>();
  const weigh = (start: number, end: number): number => {
    let weight = end - start;
    for (let i = start; i < end; i++) {
      const token = tokens[i] as Token;
      const [before, next] = [tokens[i - 1], tokens[i + 1]];
      if (!isName(token) || next?.text === '.' || !BEFORE_TABLE.has(before?.value ?? '')) continue;
      weight += weights.get(fold(token.value)) ?? 0;
    }
    return weight;
  };
  for (let i = 0; i < tokens.length; i++) {
    const found = tokens[i]?.type === 'word' && tokens[i]?.value === 'with' ? commonTables(tokens, ends, i) : null;
    for (const { name, open } of found?.items ?? []) {
      const weight = weigh(open + 1, ends[open] as number);
      const known = weights.get(fold(name)) ?? 0;
      weights.set(fold(name), Math.max(known, weight));
    }
  }
  if (weights.size > 0 && weigh(0, tokens.length) > MAX_EXPANDED) {
    throw new ScreenRefusal(
      'statement_too_large',
      `over ${MAX_EXPANDED} words and signs, common table expressions written out`,
    );
  }
}

/** A SELECT list under way between two brackets. */
interface List {
  /** What each alias so far is worth, written out. */
  readonly aliases: Map<string, number>;
  /** Where the item under way begins, and what the aliases in it add to its own words. */
  start: number;
  extra: number;
  /** In the list itself, and no longer in what follows it. */
  open: boolean;
}

function checkAliases(tokens: readonly Token[]): void {
  let added = 0;
  const list = (start: number): List => ({ aliases: new Map(), start, extra: 0, open: false });
  const levels = [list(0)];
  const close = (level: List, end: number): void => {
    const alias = level.open ? aliasOf(tokens, level.start, end) : null;
    if (alias !== null) level.aliases.set(alias, end - level.start + level.extra);
    level.start = end + 1;
    level.extra = 0;
  };
  tokens.forEach((token, i) => {
    const level = levels[levels.length - 1] as List;
    if (isOpening(token)) levels.push(list(i + 1));
    else if (token.type === 'punctuation' && (token.text === ')' || token.text === ']' || token.text === '}')) {
      if (levels.length > 1) levels.pop();
    } else if (token.text === ',') close(level, i);
    else if (token.type === 'word' && CLAUSES.has(token.value)) {
      close(level, i);
      level.open = token.value === 'select' || token.value === 'returning';
      if (level.open) level.aliases.clear();
    } else if (isName(token) && tokens[i - 1]?.text !== '.') {
      const worth = levels.reduce((sum, each) => sum + (each.aliases.get(fold(token.value)) ?? 0), 0);
      if (worth === 0) return;
      added += worth;
      for (const each of levels) each.extra += worth;
    }
    if (added > MAX_ALIASES) {
      throw new ScreenRefusal('statement_too_large', `aliases that stand for over ${MAX_ALIASES} words and signs`);
    }
  });
}

/** The alias of an item: `x AS a`, `x a` or `a: x`. */
function aliasOf(tokens: readonly Token[], start: number, end: number): string | null {
  const [first, second, last, before] = [tokens[start], tokens[start + 1], tokens[end - 1], tokens[end - 2]];
  if (end - start > 2 && second?.text === ':' && isName(first)) return fold(first.value);
  const apart = before?.type !== 'operator' && before?.text !== '.';
  return end - start > 1 && apart && isName(last) ? fold(last.value) : null;
}
