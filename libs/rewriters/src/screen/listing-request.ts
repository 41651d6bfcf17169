import { Token } from '../lexer';
import { isName, nameAt } from './written-object';

/** A question about the catalog that is answered by a query over its listings. Source: seed 000, "Catalog listings". */
export interface ListingRequest {
  what: 'tables' | 'all-tables' | 'describe' | 'table-info' | 'summarize';
  /** The object that it is about; none for a list of all. */
  parts: readonly string[];
}

const WHAT: Readonly<Record<string, ListingRequest['what']>> = {
  show: 'describe',
  describe: 'describe',
  desc: 'describe',
  summarize: 'summarize',
};
/** Words behind SHOW that name no table. */
const OTHER_LISTS = new Set(['tables', 'databases', 'schemas', 'variables', 'all', 'functions']);

/** What `SHOW TABLES`, `SHOW ALL TABLES`, `SHOW t`, `DESCRIBE t` and `SUMMARIZE t` ask; null for every other form. */
export function listingRequest(tokens: readonly Token[]): ListingRequest | null {
  const [verb, ...rest] = tokens;
  const words = rest.map((token) => (token.type === 'word' ? token.value : ''));
  const what = Object.hasOwn(WHAT, verb?.value ?? '') ? WHAT[verb?.value ?? ''] : undefined;
  if (what === undefined) return null;
  if (verb?.value === 'show' && words.join(' ') === 'tables') return { what: 'tables', parts: [] };
  if (verb?.value === 'show' && words.join(' ') === 'all tables') return { what: 'all-tables', parts: [] };
  if (rest.length === 0 || !isName(rest[0]) || rest[0].type === 'string') return null;
  if (rest.length === 1 && OTHER_LISTS.has(words[0] ?? '')) return null;
  const { parts, next } = nameAt(rest, 0);
  return next === rest.length && parts.length <= 3 ? { what, parts } : null;
}
