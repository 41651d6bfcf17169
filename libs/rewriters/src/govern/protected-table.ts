import { ObjectName } from '../description';
import { quoteIdentifier, quoteLiteral } from '../lexer';

/** A masked or denied column, and what is shown in its place. */
export interface MaskedColumn {
  /** In the catalog's spelling. */
  column: string;
  /** As the engine writes it. */
  type: string;
  /** An expression over the column, every function of it by its full name; null = NULL. */
  sql: string | null;
}

/** A base table under policies as one principal may read it. Names are in the catalog's spelling. */
export interface ProtectedTable extends ObjectName {
  masks: readonly MaskedColumn[];
  /** Predicates over the table, one of which has to hold, every function of them by its full name; null: every row. */
  filters: readonly string[] | null;
}

/**
 * The marks of one governed text. The nonce is fresh per text and is never shown, so that no user can write them; the
 * optimizer folds them away.
 */
export class Marks {
  constructor(private readonly nonce: string) {}

  get row(): string {
    return quoteLiteral(`${this.nonce}:r`);
  }

  get mask(): string {
    return quoteLiteral(`${this.nonce}:m`);
  }

  get seal(): string {
    return quoteLiteral(`${this.nonce}:s`);
  }

  /** What the engine raises when a row is written that the policy does not admit. */
  get write(): string {
    return `${this.nonce}:w`;
  }
}

/** One of several predicates has to hold. */
export function condition(filters: readonly string[]): string {
  return filters.map((one) => `(${one})`).join(' OR ');
}

/** The marked condition of a WHERE. */
export function rowFilter(filters: readonly string[], marks: Marks): string {
  return `${marks.row} IS NOT NULL AND (${condition(filters)})`;
}

/** Raises when a row that was written is not admitted; true for any other. Source: DESIGN section 6, "Governing". */
export function writeCheck(filters: readonly string[], marks: Marks): string {
  return `CASE WHEN ${condition(filters)} THEN true ELSE error(${quoteLiteral(marks.write)}) END`;
}

/**
 * The relation that stands in the place of a protected table: its rows filtered, the values of what is left masked.
 *
 * @param barrier nothing that is asked of the relation may be computed on a row that it hides (DESIGN section 6, "Side
 *   channels"): the engine moves no predicate through OFFSET
 */
export function relation(table: ProtectedTable, marks: Marks, barrier: boolean): string {
  const offset = barrier && table.filters ? ' OFFSET 0' : '';
  return `(SELECT ${columnsOf(table, marks)} ${source(table, marks)}${offset})`;
}

/**
 * What the proof of a governed text is held against: the relation, behind its columns the check of a written row and the
 * condition, and then the columns as they are without policies.
 */
export function template(table: ProtectedTable, marks: Marks): string {
  const { filters } = table;
  const more = filters ? `, ${writeCheck(filters, marks)}, (${condition(filters)})` : '';
  return `SELECT ${columnsOf(table, marks)}${more}, * ${source(table, marks)}`;
}

function columnsOf({ masks }: ProtectedTable, marks: Marks): string {
  if (masks.length === 0) return '*';
  const list = masks.map(({ column, type, sql }) => {
    return `CASE WHEN ${marks.mask} IS NOT NULL THEN TRY_CAST(${sql ?? 'NULL'} AS ${type}) END AS ${quoteIdentifier(column)}`;
  });
  return `* REPLACE (${list.join(', ')})`;
}

function source({ catalog, schema, name, filters }: ProtectedTable, marks: Marks): string {
  const table = [catalog, schema, name].map(quoteIdentifier).join('.');
  return filters ? `FROM ${table} WHERE ${rowFilter(filters, marks)}` : `FROM ${table}`;
}
