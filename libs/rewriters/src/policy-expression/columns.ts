import { arrayOf, isObject, Json, JsonObject, stringOf } from '../ast';
import { fold } from '../lexer';
import { lambdaParameters } from './check';

/** The columns that a checked expression reads, folded, each once; of a struct's field the column. */
export function columnsIn(expression: JsonObject): string[] {
  const found = new Set<string>();
  collect(expression, new Set(), found);
  return [...found].sort();
}

function collect(value: Json | undefined, lambdas: ReadonlySet<string>, found: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) collect(each, lambdas, found);
  if (!isObject(value)) return;
  if (value.class === 'COLUMN_REF') {
    const [name = '', ...fields] = arrayOf(value.column_names).map(stringOf);
    if (fields.length > 0 || !lambdas.has(fold(name))) found.add(fold(name));
  } else if (value.class === 'LAMBDA') {
    collect(value.expr, new Set([...lambdas, ...(lambdaParameters(value) ?? [])]), found);
  } else for (const field of Object.values(value)) collect(field, lambdas, found);
}
