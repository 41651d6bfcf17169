import { ALL_ROWS, broken, CHECK, type Mutation, R, RETURNING, T, TOUCHED, UNMASKED } from './pieces';

const UPDATES = broken('UPDATE raw.orders SET amount = 1 WHERE id > 0', {
  'UPDATE without the filter': [`${TOUCHED} AND`, ''],
  'UPDATE with OR for AND': [`${TOUCHED} AND (`, `${TOUCHED} OR (`],
  'UPDATE with a weakened filter': ["(orders.region = 'us')", "(orders.region = 'us' OR true)"],
  'UPDATE with another constant': ["orders.region = 'us'", "orders.region = 'eu'"],
  'UPDATE with the filter around the condition': [
    TOUCHED,
    "NOT ('<n>:r' IS NULL OR NOT (orders.region = 'us')) OR true",
  ],
  'UPDATE with the filter in FROM': [
    null,
    `UPDATE raw.orders SET amount = 1 FROM ${R} x WHERE orders.id > 0 ${RETURNING.replace('region', 'orders.region')}`,
  ],
  'UPDATE with the filter on what it joins': [
    null,
    `UPDATE raw.orders SET amount = 1 FROM raw.lines l WHERE '<n>:r' IS NOT NULL AND ((l.region = 'us')) ${RETURNING.replace('region', 'orders.region')}`,
  ],
  'UPDATE with the filter in a subquery': [TOUCHED, `id IN (SELECT id FROM ${R})`],
  'check dropped': [` ${RETURNING}`, ''],
  'check of another predicate': [`${RETURNING}`, RETURNING.replace("'us'", "'eu'")],
  'check weakened': [CHECK, CHECK.replace("(region = 'us')", "(region = 'us' OR id = 1)")],
  'check that raises nothing': [CHECK, CHECK.replace("error('<n>:w')", 'false')],
  'check that raises something else': [CHECK, CHECK.replace('<n>:w', 'AAAAAAAAAAAAAAAA:w')],
  'check not alone': [CHECK, `${CHECK}, id`],
  'check behind a column': [CHECK, `email, ${CHECK}`],
  'check in an expression': [CHECK, `(${CHECK}) OR true`],
  'check in a CASE': [CHECK, `CASE WHEN id > 0 THEN true ELSE ${CHECK} END`],
  'raw row returned': [CHECK, '*'],
  'masked column written elsewhere': ['amount = 1', 'region = email'],
  'masked column asked for': ['id > 0', "email LIKE 'a%'"],
  'masked struct asked for': ['id > 0', "s.ssn = '2'"],
  'raw table asked for in a subquery': ['id > 0', `id IN (SELECT id FROM ${T} WHERE region = 'eu')`],
  'raw table written from a subquery': ['amount = 1', `amount = (SELECT max(amount) FROM ${T})`],
});

const OWN_COLUMNS = broken('UPDATE raw.orders SET amount = 2', {
  'place of the row written': ['amount = 2', 'amount = rowid'],
  'length of a masked column written': ['amount = 2', 'amount = length(email)'],
});

const DELETES = broken('DELETE FROM raw.orders WHERE id > 0', {
  'DELETE without the filter': [`${TOUCHED} AND`, ''],
  'DELETE with OR for AND': [`${TOUCHED} AND (`, `${TOUCHED} OR (`],
  'DELETE with the mark alone': [TOUCHED, "'<n>:r' IS NOT NULL"],
  'DELETE with the filter on what it uses': [
    null,
    "DELETE FROM raw.orders USING raw.lines l WHERE '<n>:r' IS NOT NULL AND ((l.region = 'us')) AND orders.id > 0",
  ],
  'DELETE with the filter in USING': [null, `DELETE FROM raw.orders USING ${R} x WHERE orders.id > 0`],
  'DELETE that returns raw rows': ['( id > 0 )', '( id > 0 ) RETURNING *'],
  'DELETE that returns a masked column': ['( id > 0 )', '( id > 0 ) RETURNING email'],
  'DELETE by a masked column': ['id > 0', "email = 'a@x'"],
  'DELETE by the place of the row': ['id > 0', 'rowid > 0'],
  'TRUNCATE in its place': [null, 'TRUNCATE raw.orders'],
  'DELETE in the place of a filter by EXISTS': [TOUCHED, `EXISTS (FROM ${R} x WHERE x.region = orders.region)`],
});

const GUARDED = broken('DELETE FROM raw.orders WHERE sqrt(amount) > 1', {
  'condition of a write without its guard': [
    "CASE WHEN ((orders.region = 'us')) THEN ( sqrt ( amount ) > 1 ) ELSE false END",
    '( sqrt ( amount ) > 1 )',
    'leaks',
  ],
  'guard that always holds': ["CASE WHEN ((orders.region = 'us'))", 'CASE WHEN true', 'leaks'],
  'guard of another constant': ["CASE WHEN ((orders.region = 'us'))", "CASE WHEN ((orders.region = 'eu'))", 'leaks'],
  'guard with a second WHEN': ['ELSE false END', 'WHEN sqrt(amount) > 1 THEN true ELSE false END', 'leaks'],
});

const INSERTS = broken("INSERT INTO raw.orders(id, region) VALUES (9, 'us')", {
  'INSERT without the check': [` ${RETURNING}`, ''],
  'INSERT with a check that always holds': [RETURNING, 'RETURNING true'],
  'INSERT with the check of another predicate': [RETURNING, RETURNING.replace("'us'", "'eu'")],
  'INSERT with the check of another column': [RETURNING, RETURNING.replace('region =', 'email =')],
  'INSERT with the check not alone': [CHECK, `${CHECK}, *`],
  'INSERT that passes over conflicts': [RETURNING, `ON CONFLICT DO NOTHING ${RETURNING}`],
  'INSERT that updates on conflict': [RETURNING, `ON CONFLICT (id) DO UPDATE SET amount = 1 ${RETURNING}`],
  'MERGE in its place': [
    null,
    `MERGE INTO raw.orders USING (SELECT 9 AS id) x ON orders.id = x.id WHEN MATCHED THEN DELETE`,
  ],
  'MERGE that only inserts': [
    null,
    `MERGE INTO raw.orders USING (SELECT 9 AS id) x ON orders.id = x.id WHEN NOT MATCHED THEN INSERT (id) VALUES (x.id)`,
  ],
  'raw table as what is inserted': ["VALUES ( 9 , 'us' )", `SELECT id + 100, email FROM ${T}`],
});

const COPIES = [
  ...broken('INSERT INTO raw.kept SELECT id, email FROM raw.orders', {
    'INSERT of raw rows elsewhere': [R, T],
    'INSERT of hidden rows elsewhere': [R, ALL_ROWS],
    'INSERT of raw values elsewhere': [R, UNMASKED],
  }),
  ...broken('CREATE TABLE raw.made AS SELECT id, email FROM raw.orders', {
    'CREATE TABLE AS from the raw table': [R, T],
    'CREATE TABLE AS from hidden rows': [R, ALL_ROWS],
    'CREATE TABLE AS from raw values': [R, UNMASKED],
  }),
  ...broken('CREATE TABLE raw.made AS SELECT id, (SELECT max(email) FROM raw.orders) AS m FROM raw.orders', {
    'CREATE TABLE AS with a mark in the name of a column': [') AS m', ')', 'mark'],
  }),
  ...broken('UPDATE raw.kept SET t = o.email FROM raw.orders o WHERE o.id = kept.id', {
    'UPDATE of another table from the raw one': [R, T],
    'UPDATE of another table from raw values': [R, UNMASKED],
  }),
  ...broken('DELETE FROM raw.kept USING raw.orders o WHERE o.id = kept.id', {
    'DELETE of another table by the raw one': [R, T],
    'DELETE of another table by hidden rows': [R, ALL_ROWS],
  }),
  ...broken(
    'MERGE INTO raw.kept k USING raw.orders o ON k.id = o.id WHEN NOT MATCHED THEN INSERT VALUES (o.id, o.email)',
    { 'MERGE into another table from the raw one': [R, T], 'MERGE into another table of raw values': [R, UNMASKED] },
  ),
];

export const WRITES: readonly Mutation[] = [...UPDATES, ...OWN_COLUMNS, ...DELETES, ...GUARDED, ...INSERTS, ...COPIES];
