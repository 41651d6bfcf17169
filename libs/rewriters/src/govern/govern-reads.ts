import { QueryNames } from '../ast';
import { CatalogTable, resolveTable, SearchPath, tableKey } from '../catalog';
import { closureOf, isSecured, SecuredView, SessionCatalog } from '../describe';
import { fold, lex, quoteIdentifier, render, type Replacement, Token, withTexts } from '../lexer';
import { isListingFunction, type Listed, listingNamed, listingRelation } from './listings';
import { Marks, ProtectedTable, relation } from './protected-table';
import { placesInTree, qualifiedColumns, ReadPlace, sameName } from './read-places';
import { unnamedColumns } from './unnamed-columns';

/** With what a text is governed. */
export interface Governing {
  catalog: SessionCatalog;
  /** By `tableKey`. */
  tables: ReadonlyMap<string, ProtectedTable>;
  marks: Marks;
  /** See `relation`. */
  barrier: boolean;
  names: ColumnNames;
  /** null: listings stay as they are. */
  listed: Listed | null;
  /** What the texts in `query('…')` are, by the text. */
  inner: ReadonlyMap<string, InnerQuery>;
}

/** A text in `query('…')`, as its own statement. */
export interface InnerQuery {
  tokens: readonly Token[];
  names: QueryNames;
}

/** The names that the engine gives columns by their text, as far as they are known, and the texts that are asked for. */
export interface ColumnNames {
  known: ReadonlyMap<string, string>;
  wanted: Set<string>;
}

/** Why a statement cannot be governed, in words for its author. */
export class CannotGovern extends Error {}

/** Characters that governing may make of a statement: views are put into it as they stand. */
const MAX_TEXT = 1024 * 1024;
/** Views may stand on views this deep (seed 000, "Functions, settings and statement types"). */
const MAX_DEPTH = 16;

/**
 * What takes the place of each protected table, and of each view that stands on one, by its first token.
 *
 * @throws CannotGovern
 */
export function governedReads(
  tokens: readonly Token[],
  places: readonly ReadPlace[],
  governing: Governing,
): Map<number, Replacement> {
  return replacements(tokens, places, governing, { path: governing.catalog.path, depth: 0, whole: false });
}

interface Scope {
  path: SearchPath;
  depth: number;
  /** Every name becomes a full one: what it means must not depend on where it stands. */
  whole: boolean;
}

function replacements(
  tokens: readonly Token[],
  places: readonly ReadPlace[],
  governing: Governing,
  scope: Scope,
): Map<number, Replacement> {
  const { snapshot } = governing.catalog;
  const replaced = new Map<number, Replacement>();
  const changed: ReadPlace[] = [];
  const governed: { place: ReadPlace; found: CatalogTable }[] = [];
  for (const place of places) {
    if (place.text !== null) {
      const text = scope.whole ? null : textInPlace(place, place.text, governing, scope);
      if (text !== null) {
        changed.push(place);
        put(replaced, tokens, place, text);
      }
      continue;
    }
    const listing = governing.listed && listingAt(place, scope);
    if (listing !== null && governing.listed !== null) {
      changed.push(place);
      put(replaced, tokens, place, listingRelation(listing, governing.listed, governing.marks));
    }
    if (listing !== null || place.call) continue;
    const found = resolveTable(place.parts, scope.path, snapshot);
    const text = found && inPlaceOf(found, governing, scope.depth);
    if (found && text) {
      changed.push(place);
      governed.push({ place, found });
      put(replaced, tokens, place, text);
    } else if (scope.whole) {
      if (!found) throw new CannotGovern('a view of it names what is not there');
      put(replaced, tokens, { ...place, alias: true }, qualified(found));
    }
  }
  keepNames(tokens, changed, governing.names, replaced);
  shorten(tokens, places, governed, scope.path, governing.catalog, replaced);
  if (sizeOf(replaced) > MAX_TEXT) throw new CannotGovern('with its views it is too large');
  return replaced;
}

/** What stands for `query('…')` and `query_table('…')` where what they read is governed; null: nothing changes. */
function textInPlace({ parts }: ReadPlace, text: string, governing: Governing, scope: Scope): string | null {
  if (fold(parts[parts.length - 1] ?? '') === 'query_table') {
    const found = resolveTable(namesIn(text), scope.path, governing.catalog.snapshot);
    return found && inPlaceOf(found, governing, scope.depth);
  }
  const inner = governing.inner.get(text);
  if (!inner || scope.depth > MAX_DEPTH) return null;
  const places = placesInTree(inner.tokens, inner.names);
  const replaced = replacements(inner.tokens, places, governing, { ...scope, depth: scope.depth + 1 });
  return replaced.size > 0 ? `(${render(withTexts(inner.tokens, replaced))})` : null;
}

/** The parts of a name that is written as a text. */
function namesIn(text: string): string[] {
  try {
    return lex(text)
      .filter((token) => token.text !== '.')
      .map((token) => (token.type === 'word' ? token.text : token.value));
  } catch {
    return [];
  }
}

/** A listing is answered where the statement itself names it; in a view it is not (seed 000, "Catalog listings"). */
function listingAt({ parts, call }: ReadPlace, { whole }: Scope): string | null {
  if (whole) return null;
  const [name = ''] = parts;
  if (!call) return listingNamed(parts);
  return parts.length === 1 && isListingFunction(name) ? fold(name) : null;
}

function put(replaced: Map<number, Replacement>, tokens: readonly Token[], place: ReadPlace, text: string): void {
  const { at, parts, alias, call, text: given } = place;
  const name = alias ? '' : ` AS ${quoteIdentifier(parts[parts.length - 1] as string)}`;
  const length = 2 * parts.length - 1 + (given !== null ? 3 : call ? 2 : 0);
  // `TABLE t` is short for `FROM t`.
  const short = tokens[at - 1]?.type === 'word' && tokens[at - 1]?.value === 'table';
  if (short) replaced.set(at - 1, { length: length + 1, text: `FROM ${text}${name}` });
  else replaced.set(at, { length, text: text + name });
}

/** The text for a table or view that policies change; null for any other. */
function inPlaceOf(found: CatalogTable, governing: Governing, depth: number): string | null {
  if (found.temporary && found.kind === 'table') return null;
  if (found.internal) return null;
  const secured = isSecured(found, governing.catalog) && governing.catalog.secured.get(tableKey(found));
  if (secured) return sealedRelation(found, secured, governing, depth + 1);
  if (found.kind === 'table') {
    const table = governing.tables.get(tableKey(found));
    return table ? relation(table, governing.marks, governing.barrier) : null;
  }
  const { bases } = closureOf(found, governing.catalog);
  const changed = (key: string): boolean => governing.tables.has(key) || governing.catalog.secured.has(key);
  return [...bases.keys()].some(changed) ? bodyOf(found, governing, depth + 1) : null;
}

/**
 * A secure view as what it stands for, under the mark of its own: no policy of the reader holds in it, nothing that is asked
 * of it is asked of what its body leaves out, and it has no column but those that it was made with.
 */
export function sealedRelation(found: CatalogTable, view: SecuredView, governing: Governing, depth = 1): string {
  const text = queryOf(found, { ...governing, tables: new Map() }, depth);
  const columns = view.columns.map(quoteIdentifier).join(', ');
  const seal = `${governing.marks.seal} IS NOT NULL OFFSET 0`;
  return `(SELECT ${columns} FROM (${text}) AS ${quoteIdentifier(found.name)} WHERE ${seal})`;
}

/** A view as the query that it stands for, under the names of its columns. */
function bodyOf(view: CatalogTable, governing: Governing, depth: number): string {
  const names = view.query?.columns ?? [];
  const columns = names.length > 0 ? `(${names.map(quoteIdentifier).join(', ')})` : '';
  return `(SELECT * FROM (${queryOf(view, governing, depth)}) AS ${quoteIdentifier(view.name)}${columns})`;
}

function queryOf(view: CatalogTable, governing: Governing, depth: number): string {
  const { body, query } = view;
  if (!body || !query || depth > MAX_DEPTH || body.queries.length + body.queryTables.length > 0) {
    throw new CannotGovern(`the view ${view.name} cannot be put into it`);
  }
  const places = placesInTree(query.tokens, body);
  if (places.filter(({ call }) => !call).length < body.tables.length)
    throw new CannotGovern(`the view ${view.name} cannot be put into it`);
  const path = [{ catalog: view.catalog, schema: view.schema }, ...governing.catalog.path];
  return render(withTexts(query.tokens, replacements(query.tokens, places, governing, { path, depth, whole: true })));
}

function qualified({ catalog, schema, name }: CatalogTable): string {
  return [catalog, schema, name].map(quoteIdentifier).join('.');
}

/** `main.t.c` becomes `t.c` where `t` is a relation now: what stands in brackets has no schema. */
function shorten(
  tokens: readonly Token[],
  places: readonly ReadPlace[],
  governed: readonly { place: ReadPlace; found: CatalogTable }[],
  path: SearchPath,
  catalog: SessionCatalog,
  replaced: Map<number, Replacement>,
): void {
  if (governed.length === 0) return;
  for (const { at, parts } of qualifiedColumns(tokens, places)) {
    for (const length of [3, 2]) {
      const table = parts.length > length ? resolveTable(parts.slice(0, length), path, catalog.snapshot) : null;
      const means = ({ place, found }: (typeof governed)[number]): boolean =>
        found === table && !place.alias && sameName(found.name, parts[length - 1] as string);
      if (!table || !governed.some(means)) continue;
      replaced.set(at, { length: 2 * (length - 1), text: '' });
      break;
    }
  }
}

/** A column without a name is called by its text: by that which its author wrote, not by what has become of it. */
function keepNames(
  tokens: readonly Token[],
  governed: readonly ReadPlace[],
  { known, wanted }: ColumnNames,
  replaced: Map<number, Replacement>,
): void {
  for (const { start, end } of unnamedColumns(tokens, governed)) {
    const text = render(tokens.slice(start, end));
    const name = known.get(text);
    if (name === undefined) wanted.add(text);
    else replaced.set(end, { length: 0, text: `AS ${quoteIdentifier(name)}` });
  }
}

function sizeOf(replaced: ReadonlyMap<number, Replacement>): number {
  let size = 0;
  for (const { text } of replaced.values()) size += text.length;
  return size;
}
