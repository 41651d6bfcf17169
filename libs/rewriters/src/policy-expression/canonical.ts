import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { fold, lex } from '../lexer';
import { PolicyFault } from './fault';
import { tokenOf } from './tokens';

/** Characters of the canonical form. Source: seed 000, "Predicate validation". */
const MAX_CANONICAL = 1_024;

/**
 * The canonical text of an expression, tokens in it as `${…}` again: equal for texts that differ in blanks, comments, case
 * of keywords and needless brackets.
 *
 * @param written what `json_deserialize_sql` gives for the tree of a checked expression
 * @throws PolicyFault when it is too long
 */
export function canonicalText(written: string): string {
  const [select, ...tokens] = lex(written);
  if (select?.value !== 'select') throw new PolicyFault('this is not a single SQL expression');
  let [text, at] = ['', select.end];
  for (const { type, start, end, text: word } of tokens) {
    if (type !== 'parameter') continue;
    text += `${written.slice(at, start)}\${${tokenOf(word.slice(1)) ?? ''}}`;
    at = end;
  }
  const canonical = (text + written.slice(at)).trim();
  if (canonical.length > MAX_CANONICAL) {
    throw new PolicyFault(`the canonical form of a policy has at most ${MAX_CANONICAL} characters`);
  }
  return canonical;
}

/** A tree with the names of columns and functions in small letters: the engine compares them without case. */
export function withFoldedNames(tree: JsonObject): JsonObject {
  const folded: JsonObject = {};
  for (const [key, field] of Object.entries(tree)) folded[key] = foldedField(field);
  if (tree.class === 'COLUMN_REF') folded.column_names = arrayOf(tree.column_names).map(foldedText);
  if (tree.class === 'FUNCTION') folded.function_name = foldedText(tree.function_name);
  return folded;
}

function foldedField(field: Json | undefined): Json | undefined {
  if (Array.isArray(field)) return field.map((each) => foldedField(each) as Json);
  return isObject(field) ? withFoldedNames(field) : field;
}

function foldedText(name: Json | undefined): string {
  return fold(stringOf(name));
}
