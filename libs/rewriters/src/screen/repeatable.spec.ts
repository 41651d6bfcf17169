import { isRepeatable } from './repeatable';

test.each(['SELECT a FROM t', 'FROM t', 'SELECT count(*), random() FROM t WHERE a IN (SELECT b FROM u)', 'VALUES (1)'])(
  'a query may run again: %s',
  (sql) => expect(isRepeatable(sql)).toBe(true),
);

test.each([
  "SELECT nextval('s')",
  'SELECT "nextval"(\'s\')',
  'SELECT my_macro(1)',
  'INSERT INTO t VALUES (1)',
  'WITH x AS (SELECT 1) DELETE FROM t',
  'EXPLAIN ANALYZE DELETE FROM t',
  'CREATE TABLE t(a INT)',
  'SET x = 1',
  'BEGIN',
  'SELECT 1; SELECT 2',
  'SELEC 1',
  "SELECT 'x",
])('what may have an effect, or cannot be told, may not: %s', (sql) => expect(isRepeatable(sql)).toBe(false));
