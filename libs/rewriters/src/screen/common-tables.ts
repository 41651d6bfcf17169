import { Token } from '../lexer';
import { ScreenRefusal } from './refusal';
import { BracketEnds, isName } from './written-object';

/** Common table expressions in one list: each sees all before it. */
const MAX_COMMON_TABLES = 500;

/** `WITH [RECURSIVE] name [(columns)] [USING KEY (…)] AS [NOT] [MATERIALIZED] (body), …`. */
export interface CommonTables {
  recursive: boolean;
  /** `open`: the bracket of the body. */
  items: { name: string; open: number }[];
  /** The token behind the list. */
  next: number;
}

/** The list that begins with the WITH at `at`; null when no such list stands there. @throws ScreenRefusal for a longer one */
export function commonTables(tokens: readonly Token[], ends: BracketEnds, at: number): CommonTables | null {
  const value = (i: number): string => {
    const token = tokens[i];
    return token?.type === 'word' || token?.type === 'punctuation' ? token.value : '';
  };
  const afterBracket = (i: number): number => (value(i) === '(' ? (ends[i] as number) + 1 : i);
  const recursive = value(at + 1) === 'recursive';
  const items: CommonTables['items'] = [];
  let i = recursive ? at + 2 : at + 1;
  for (;;) {
    const name = tokens[i];
    if (!isName(name) || name.type === 'string') return null;
    i = afterBracket(i + 1);
    if (value(i) === 'using' && value(i + 1) === 'key') i = afterBracket(i + 2);
    if (value(i) !== 'as') return null;
    i++;
    if (value(i) === 'not') i++;
    if (value(i) === 'materialized') i++;
    if (value(i) !== '(') return null;
    items.push({ name: name.value, open: i });
    if (items.length > MAX_COMMON_TABLES) {
      throw new ScreenRefusal('statement_too_large', `over ${MAX_COMMON_TABLES} common table expressions`);
    }
    i = (ends[i] as number) + 1;
    if (value(i) !== ',') return { recursive, items, next: i };
    i++;
  }
}
