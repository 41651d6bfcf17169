/** What the governor writes for the tables of this suite, piece by piece; `<n>` stands for the nonce of the text. */

export const SEED = `
  CREATE SCHEMA raw; CREATE SCHEMA twin;
  CREATE TABLE raw.orders(id INT PRIMARY KEY, region VARCHAR, amount INT, email VARCHAR, s STRUCT(ssn VARCHAR, k INT));
  CREATE TABLE twin.orders(id INT PRIMARY KEY, region VARCHAR, amount INT, email VARCHAR, s STRUCT(ssn VARCHAR, k INT));
  INSERT INTO raw.orders VALUES (1, 'eu', -10, 'a@x', NULL), (2, 'us', 20, 'b@x', {'ssn': '2', 'k': 2});
  CREATE TABLE raw.lines(order_id INT, region VARCHAR, q INT); CREATE TABLE raw.kept(id INT, t VARCHAR);
  CREATE VIEW raw.v AS SELECT id, email, region FROM lake.raw.orders`;

/** The policies of lake.raw.orders in this suite. */
export const PREDICATE = "region = 'us'";
export const MASKS = { email: "left(email, 1) || '***'", s: 'NULL' };

export const T = '"lake"."raw"."orders"';
export const CONDITION = `((${PREDICATE}))`;
export const FILTER = `'<n>:r' IS NOT NULL AND (${CONDITION})`;
export const EMAIL = `CASE WHEN '<n>:m' IS NOT NULL THEN TRY_CAST("system".main."||"("system".main."left"(email, 1), '***') AS VARCHAR) END AS "email"`;
export const S = `CASE WHEN '<n>:m' IS NOT NULL THEN TRY_CAST(NULL AS STRUCT(ssn VARCHAR, k INTEGER)) END AS "s"`;
export const COLUMNS = `* REPLACE (${EMAIL}, ${S})`;
/** The relation in the place of lake.raw.orders. */
export const R = `(SELECT ${COLUMNS} FROM ${T} WHERE ${FILTER})`;
/** With its barrier. */
export const CLOSED = `(SELECT ${COLUMNS} FROM ${T} WHERE ${FILTER} OFFSET 0)`;
/** Without its filter, without its masks. */
export const ALL_ROWS = `(SELECT ${COLUMNS} FROM ${T})`;
export const UNMASKED = `(SELECT * FROM ${T} WHERE ${FILTER})`;
/** The condition on the rows that UPDATE and DELETE touch. */
export const TOUCHED = "'<n>:r' IS NOT NULL AND (((orders.region = 'us')))";
export const CHECK = `CASE WHEN ${CONDITION} THEN true ELSE error('<n>:w') END`;
export const RETURNING = `RETURNING ${CHECK}`;

/** By what a broken rewrite is caught: the proof, the barrier that it lacks, a mark in a name, what it touches. */
export type Caught = 'violation' | 'leaks' | 'mark' | 'accesses';

/** One way to break the rewrite of a statement. */
export interface Mutation {
  how: string;
  /** The statement. */
  sql: string;
  /** The piece of the governed text that is exchanged; null: all of it. */
  from: string | null;
  to: string;
  by?: Caught;
}

/** Ways to break the rewrite of one statement. */
export function broken(sql: string, ways: Record<string, [string | null, string, Caught?]>): Mutation[] {
  return Object.entries(ways).map(([how, [from, to, by]]) => ({ how, sql, from, to, by }));
}
