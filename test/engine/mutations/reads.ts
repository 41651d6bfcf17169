import {
  ALL_ROWS,
  broken,
  CLOSED,
  COLUMNS,
  CONDITION,
  EMAIL,
  FILTER,
  type Mutation,
  R,
  S,
  T,
  UNMASKED,
} from './pieces';

const FILTERS = broken('SELECT id, email FROM raw.orders o', {
  'filter dropped': [` WHERE ${FILTER}`, ''],
  'filter weakened by OR true': [`(${CONDITION})`, `(${CONDITION} OR true)`],
  'filter weakened by OR of a column': [`(${CONDITION})`, `(${CONDITION} OR id = 1)`],
  'filter with another constant': ["'us'", "'eu'"],
  'filter with a constant in other letters': ["'us'", "'US'"],
  'filter negated': [`(${CONDITION})`, `(NOT ${CONDITION})`],
  'filter with another operator': ["region = 'us'", "region >= 'us'"],
  'filter that takes NULL': ["region = 'us'", "region IS NOT DISTINCT FROM 'us'"],
  'filter on another column': ['region =', 'email ='],
  'filter of the mark alone': [FILTER, "'<n>:r' IS NOT NULL"],
  'filter without its mark': [FILTER, `(${CONDITION})`],
  'filter with the mark of a mask': ["'<n>:r'", "'<n>:m'"],
  'filter by OR instead of AND': [' IS NOT NULL AND ', ' IS NOT NULL OR '],
  'mark asked for NULL': ["'<n>:r' IS NOT NULL AND", "'<n>:r' IS NULL OR"],
  'filter in HAVING': [`WHERE ${FILTER}`, `GROUP BY ALL HAVING ${FILTER}`],
  'filter in QUALIFY': [`WHERE ${FILTER}`, `QUALIFY row_number() OVER () > 0 AND ${FILTER}`],
  'filter above LIMIT': [`FROM ${T}`, `FROM (FROM ${T} LIMIT 1)`],
  'filter above a sample': [`FROM ${T}`, `FROM ${T} TABLESAMPLE 1 ROWS`],
  'filter above DISTINCT': [`FROM ${T}`, `FROM (SELECT DISTINCT * FROM ${T})`],
  'filter above the masks': [R, `(SELECT * FROM ${ALL_ROWS} WHERE ${FILTER})`],
  'filter in a condition that always holds': [
    `WHERE ${FILTER}`,
    `WHERE EXISTS (SELECT 1 FROM ${T} WHERE ${FILTER}) OR id > 0`,
  ],
  'filter of a row that is not this one': [`WHERE ${FILTER}`, `WHERE id IN (SELECT id FROM ${T} x WHERE ${FILTER})`],
  'more rows by UNION ALL': [R, `(FROM ${R} UNION ALL FROM ${T})`],
  'more rows by an outer join': [
    R,
    `(SELECT a.id, b.email FROM ${T} a LEFT JOIN ${R} b ON a.id = b.id WHERE ${FILTER.replace('region', 'a.region')} OR true)`,
  ],
});

const MASKS = broken('SELECT id, email FROM raw.orders AS o', {
  'mask skipped': [`${EMAIL}, `, ''],
  'all masks skipped': [R, UNMASKED],
  'mask on another column': ['AS "email"', 'AS "region"'],
  'masks exchanged': [`(${EMAIL}, ${S})`, `(CAST(${S.replace(' AS "s"', '')} AS VARCHAR) AS "email", s AS "s")`],
  'mask of another column': ['(email, 1)', '(region, 1)'],
  'mask that shows more': ['(email, 1)', '(email, 2)'],
  'mask that is the value itself': [
    'TRY_CAST("system".main."||"("system".main."left"(email, 1), \'***\') AS VARCHAR)',
    'email',
  ],
  'raw value in ELSE': ['END AS "email"', 'ELSE email END AS "email"'],
  'raw value in a second WHEN': ['END AS "email"', 'WHEN true THEN email END AS "email"'],
  'guard asked for NULL': [
    "CASE WHEN '<n>:m' IS NOT NULL",
    "CASE WHEN '<n>:m' IS NULL THEN NULL WHEN email IS NOT NULL",
  ],
  'guard of another nonce': ["CASE WHEN '<n>:m'", "CASE WHEN 'AAAAAAAAAAAAAAAA:m'"],
  'raw value behind the mask': ['END AS "email"', '|| email END AS "email"'],
  'raw column beside the masked one': [`SELECT ${COLUMNS} FROM`, `SELECT ${COLUMNS}, email AS more FROM`],
  'raw column before the masked ones': [`SELECT ${COLUMNS} FROM`, `SELECT email AS more, ${COLUMNS} FROM`],
  'raw column under another name by RENAME': [COLUMNS, `* EXCLUDE (id, email) RENAME (region AS email), id`],
  'raw column behind EXCLUDE': [COLUMNS, `* EXCLUDE (email) REPLACE (${S}), email`],
  'raw column by COLUMNS': [COLUMNS, `${COLUMNS}, COLUMNS('email')`],
  'raw struct field beside': [COLUMNS, `${COLUMNS}, s.ssn`],
  'struct with a part of its own value': [
    'TRY_CAST(NULL AS STRUCT(ssn VARCHAR, k INTEGER))',
    'TRY_CAST(s AS STRUCT(ssn VARCHAR, k INTEGER))',
  ],
  'whole raw row beside': [COLUMNS, `${COLUMNS}, orders AS whole`],
  'rowid beside': [COLUMNS, `${COLUMNS}, rowid AS place`],
  'length of the raw value beside': [COLUMNS, `${COLUMNS}, length(email) AS n`],
  'raw value in ORDER BY of the relation': [
    `WHERE ${FILTER}`,
    `WHERE ${FILTER} ORDER BY ${T.split('.')[2]}.email LIMIT 1`,
  ],
  'raw value in a window of the relation': [
    COLUMNS,
    `${COLUMNS}, rank() OVER (ORDER BY ${T.split('.')[2]}.email) AS n`,
  ],
  'raw value asked for in the filter': [FILTER, `${FILTER} AND email LIKE 'a%'`],
});

const RELATIONS = broken('SELECT id, email FROM raw.orders', {
  'raw table in its place': [R, T],
  'view over it in its place': [R, '"lake"."raw"."v"'],
  'raw table as a common table expression of its name': [
    null,
    `WITH orders AS (FROM ${T}) SELECT id, email FROM orders`,
  ],
  'raw table as one that is materialized': [
    null,
    `WITH x AS MATERIALIZED (FROM ${T}) SELECT id, email FROM x WHERE region = 'us'`,
  ],
  'raw table in a recursive one': [
    null,
    `WITH RECURSIVE x(id, email) AS (SELECT id, email FROM ${R} UNION SELECT o.id, o.email FROM x, ${T} o) SELECT id, email FROM x`,
  ],
  'table of another schema in its place': [T, '"lake"."twin"."orders"', 'accesses'],
  'table of another name beside it': [
    null,
    `SELECT id, email FROM ${R} UNION ALL SELECT order_id, region FROM raw.lines`,
    'accesses',
  ],
  'raw table by VALUES of a subquery': [null, `VALUES ((SELECT max(id) FROM ${T}), (SELECT max(email) FROM ${R}))`],
  'raw table in a subquery of the list': [null, `SELECT id, (SELECT max(email) FROM ${T}) FROM ${R}`],
  'raw table in a correlated subquery': [
    null,
    `SELECT id, (SELECT max(o.email) FROM ${T} o WHERE o.id = r.id) FROM ${R} r`,
  ],
  'correlated subquery without its mask': [
    null,
    `SELECT id, (SELECT max(o.email) FROM ${UNMASKED} o WHERE o.id = r.id) FROM ${R} r`,
  ],
  'raw table in LATERAL': [
    null,
    `SELECT r.id, x.email FROM ${R} r, LATERAL (SELECT email FROM ${T} o WHERE o.id >= r.id) x`,
  ],
  'raw table in ORDER BY': [null, `SELECT id, email FROM ${R} ORDER BY (SELECT max(email) FROM ${T})`],
  'raw table in HAVING': [null, `SELECT id, email FROM ${R} GROUP BY ALL HAVING (SELECT count(*) FROM ${T}) > 1`],
  'raw table in QUALIFY': [
    null,
    `SELECT id, email FROM ${R} QUALIFY row_number() OVER () < (SELECT count(*) FROM ${T})`,
  ],
  'raw table in LIMIT': [null, `SELECT id, email FROM ${R} LIMIT (SELECT count(*) FROM ${T})`],
  'raw table in EXISTS': [null, `SELECT id, email FROM ${R} WHERE EXISTS (FROM ${T} WHERE region = 'eu')`],
  'raw table in IN': [null, `SELECT id, email FROM ${R} WHERE id + 1 IN (SELECT id FROM ${T})`],
  'raw table under an aggregate': [null, `SELECT count(*), max(email) FROM ${T}`],
  'raw table unpivoted': [null, `UNPIVOT (SELECT id, email FROM ${T}) ON email INTO NAME n VALUE v`],
  'raw table pivoted': [null, `SELECT * FROM (PIVOT ${T} ON region IN ('us') USING count(*))`],
  'forged mark of another nonce': [FILTER, `'AAAAAAAAAAAAAAAA:r' IS NOT NULL AND (${CONDITION})`],
  'all marks of another nonce': [null, `SELECT id, email FROM ${R.replaceAll('<n>', 'AAAAAAAAAAAAAAAA')}`],
  'mark without nonce': ["'<n>:r'", "':r'"],
  'mark and condition as an author would write them': [
    null,
    `SELECT id, email FROM ${T} WHERE 'AAAAAAAAAAAAAAAA:r' IS NOT NULL AND (${CONDITION})`,
  ],
});

const TWO = broken('SELECT a.id, b.email FROM raw.orders a JOIN raw.orders b ON a.id = b.id', {
  'one of two scans without its filter': [` WHERE ${FILTER}) a`, ') a'],
  'the other of two scans without its filter': [` WHERE ${FILTER}) b`, ') b'],
  'one of two scans without its masks': [`${R} a`, `${UNMASKED} a`],
  'the other of two scans without its masks': [`${R} b`, `${UNMASKED} b`],
  'filter above the join': [
    null,
    `SELECT a.id, b.email FROM ${ALL_ROWS} a JOIN ${ALL_ROWS} b ON a.id = b.id WHERE ${FILTER.replace('region', 'a.region')}`,
  ],
  'filter of one alias on the other': [
    null,
    `SELECT a.id, b.email FROM ${R} a JOIN ${ALL_ROWS} b ON a.id = b.id WHERE ${FILTER.replace('region', 'a.region')}`,
  ],
  'masks of one alias from the other': [
    null,
    `SELECT a.id, b.email FROM ${R} a, LATERAL (SELECT * REPLACE (a.email AS email) FROM ${T} WHERE ${FILTER}) b WHERE a.id = b.id`,
  ],
});

const OUTER = broken('SELECT l.q, o.email FROM raw.lines l LEFT JOIN raw.orders o ON l.order_id = o.id', {
  'filter in the ON of an outer join': [
    null,
    `SELECT l.q, o.email FROM raw.lines l LEFT JOIN ${ALL_ROWS} o ON l.order_id = o.id AND ${FILTER.replace('region', 'o.region')}`,
  ],
  'filter above an outer join': [
    null,
    `SELECT l.q, o.email FROM raw.lines l LEFT JOIN ${ALL_ROWS} o ON l.order_id = o.id WHERE ${FILTER.replace('region', 'o.region')}`,
  ],
  'filter on the other table': [
    null,
    `SELECT l.q, o.email FROM (FROM raw.lines WHERE ${FILTER}) l LEFT JOIN ${ALL_ROWS} o ON l.order_id = o.id`,
  ],
  'filter in the ON of a join of its preserved side': [
    null,
    `SELECT l.q, o.email FROM ${ALL_ROWS} o LEFT JOIN raw.lines l ON l.order_id = o.id AND ${FILTER.replace('region', 'o.region')}`,
  ],
  'semi join in the place of the filter': [
    null,
    `SELECT l.q, o.email FROM raw.lines l LEFT JOIN (FROM ${ALL_ROWS} SEMI JOIN ${R} x USING (region)) o ON l.order_id = o.id`,
  ],
});

const UNION = broken('SELECT id, email FROM raw.orders UNION ALL SELECT id, region FROM raw.orders', {
  'filter missing in the first branch': [` WHERE ${FILTER}`, ''],
  'masks missing in the first branch': [R, UNMASKED],
  'filter and masks missing in the second branch': [
    null,
    `SELECT id, email FROM ${R} UNION ALL SELECT id, email FROM ${T}`,
  ],
  'filter above both branches': [
    null,
    `SELECT id, email FROM (FROM ${ALL_ROWS} UNION ALL FROM ${ALL_ROWS}) WHERE ${FILTER}`,
  ],
  'raw branch behind EXCEPT': [null, `SELECT id, email FROM ${R} EXCEPT SELECT id, email FROM ${T}`],
});

const VIEW = broken('SELECT id, email FROM raw.v', {
  'view as it stands in the catalog': [null, 'SELECT id, email FROM raw.v'],
  'view without the filter of its base': [` WHERE ${FILTER}`, ''],
  'view with the filter above it': [
    null,
    `SELECT id, email FROM (SELECT id, email, region FROM ${ALL_ROWS}) AS v WHERE ${FILTER}`,
  ],
});

const BARRIERS = broken('SELECT id FROM raw.orders WHERE sqrt(amount) > 1', {
  'barrier dropped': [CLOSED, R, 'leaks'],
  'barrier with a limit': [CLOSED, CLOSED.replace('OFFSET 0', 'LIMIT 5 OFFSET 0'), 'leaks'],
  'barrier with another offset': ['OFFSET 0', 'OFFSET 1', 'leaks'],
  'barrier above the condition': [null, `SELECT id FROM (FROM ${R} WHERE sqrt(amount) > 1 OFFSET 0)`, 'leaks'],
  'barrier below a filter of its own': [CLOSED, `(FROM (SELECT ${COLUMNS} FROM ${T} OFFSET 0) WHERE ${FILTER})`],
  'barrier between filter and masks': [CLOSED, `(SELECT ${COLUMNS} FROM (FROM ${T} WHERE ${FILTER} OFFSET 0))`],
  'barrier above a projection of the condition': [
    null,
    `SELECT id FROM (SELECT * FROM (SELECT *, sqrt(amount) AS r FROM ${R}) WHERE r > 1 OFFSET 0)`,
    'leaks',
  ],
});

const TWO_BARRIERS = broken('SELECT a.id FROM raw.orders a JOIN raw.orders b ON sqrt(a.amount) > b.id', {
  'barrier on one of two scans': [`${CLOSED} a`, `${R} a`, 'leaks'],
  'barrier on the other of two scans': [`${CLOSED} b`, `${R} b`, 'leaks'],
});

export const READS: readonly Mutation[] = [
  ...FILTERS,
  ...MASKS,
  ...RELATIONS,
  ...TWO,
  ...OUTER,
  ...UNION,
  ...VIEW,
  ...BARRIERS,
  ...TWO_BARRIERS,
];
