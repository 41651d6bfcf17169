/**
 * The tables of TPC-H with their names, columns and types, filled by SQL: the engine's `dbgen` is not in its npm build.
 * Values are of the same kinds and ranges, and the same at every run. About 60,000 line items, as scale factor 0.01 has.
 */
export const TPCH_SQL = tpchSql(1);

/** @param times as many customers, parts, orders and what belongs to them: 100 gives scale factor 1 */
export function tpchSql(times: number): string {
  return `
CREATE TABLE region AS
  SELECT i::INTEGER AS r_regionkey, ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'][i + 1] AS r_name,
    'region ' || i AS r_comment
  FROM range(5) r(i);

CREATE TABLE nation AS
  SELECT i::INTEGER AS n_nationkey,
    ['ALGERIA', 'ARGENTINA', 'BRAZIL', 'CANADA', 'EGYPT', 'ETHIOPIA', 'FRANCE', 'GERMANY', 'INDIA', 'INDONESIA', 'IRAN',
     'IRAQ', 'JAPAN', 'JORDAN', 'KENYA', 'MOROCCO', 'MOZAMBIQUE', 'PERU', 'CHINA', 'ROMANIA', 'SAUDI ARABIA', 'VIETNAM',
     'RUSSIA', 'UNITED KINGDOM', 'UNITED STATES'][i + 1] AS n_name,
    [0, 1, 1, 1, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 2, 3, 4, 2, 3, 3, 1][i + 1]::INTEGER AS n_regionkey,
    'nation ' || i AS n_comment
  FROM range(25) r(i);

CREATE TABLE supplier AS
  SELECT i AS s_suppkey, 'Supplier#' || lpad(i::VARCHAR, 9, '0') AS s_name, 'address ' || hash(i) % 1000 AS s_address,
    (hash(i, 1) % 25)::INTEGER AS s_nationkey, (10 + hash(i, 2) % 25) || '-' || (100 + hash(i, 3) % 900) AS s_phone,
    (hash(i, 4) % 1100000 / 100 - 1000)::DECIMAL(15, 2) AS s_acctbal, 'supplier ' || i AS s_comment
  FROM range(1, ${100 * times + 1}) r(i);

CREATE TABLE customer AS
  SELECT i AS c_custkey, 'Customer#' || lpad(i::VARCHAR, 9, '0') AS c_name, 'address ' || hash(i) % 1000 AS c_address,
    (hash(i, 5) % 25)::INTEGER AS c_nationkey,
    (10 + hash(i, 6) % 25) || '-' || (100 + hash(i, 7) % 900) || '-' || (1000 + hash(i, 8) % 9000) AS c_phone,
    (hash(i, 9) % 1100000 / 100 - 1000)::DECIMAL(15, 2) AS c_acctbal,
    ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'][(hash(i, 10) % 5)::INTEGER + 1] AS c_mktsegment,
    'customer ' || i AS c_comment
  FROM range(1, ${1500 * times + 1}) r(i);

CREATE TABLE part AS
  SELECT i AS p_partkey, 'part ' || i AS p_name, 'Manufacturer#' || 1 + hash(i, 11) % 5 AS p_mfgr,
    'Brand#' || 1 + hash(i, 12) % 5 || 1 + hash(i, 13) % 5 AS p_brand,
    ['STANDARD', 'SMALL', 'MEDIUM', 'LARGE', 'ECONOMY', 'PROMO'][(hash(i, 14) % 6)::INTEGER + 1] || ' '
      || ['ANODIZED', 'BURNISHED', 'PLATED', 'POLISHED', 'BRUSHED'][(hash(i, 15) % 5)::INTEGER + 1] || ' '
      || ['TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER'][(hash(i, 16) % 5)::INTEGER + 1] AS p_type,
    (1 + hash(i, 17) % 50)::INTEGER AS p_size, 'JUMBO PKG' AS p_container,
    (900 + i % 1000)::DECIMAL(15, 2) AS p_retailprice, 'part ' || i AS p_comment
  FROM range(1, ${2000 * times + 1}) r(i);

CREATE TABLE partsupp AS
  SELECT p AS ps_partkey, 1 + (p * 7 + s * 25) % ${100 * times} AS ps_suppkey, (1 + hash(p, s) % 9999)::INTEGER AS ps_availqty,
    (1 + hash(p, s, 1) % 1000)::DECIMAL(15, 2) AS ps_supplycost, 'part supply' AS ps_comment
  FROM range(1, ${2000 * times + 1}) r(p), range(4) t(s);

CREATE TABLE orders AS
  SELECT i AS o_orderkey, 1 + hash(i, 18) % ${1500 * times} AS o_custkey, ['F', 'O', 'P'][(hash(i, 19) % 3)::INTEGER + 1] AS o_orderstatus,
    (1000 + hash(i, 20) % 40000000 / 100)::DECIMAL(15, 2) AS o_totalprice,
    DATE '1992-01-01' + (hash(i, 21) % 2400)::INTEGER AS o_orderdate,
    ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'][(hash(i, 22) % 5)::INTEGER + 1] AS o_orderpriority,
    'Clerk#' || hash(i, 23) % 1000 AS o_clerk, 0 AS o_shippriority, 'order ' || i AS o_comment
  FROM range(1, ${15000 * times + 1}) r(i);

CREATE TABLE lineitem AS
  SELECT o_orderkey AS l_orderkey, 1 + hash(o_orderkey, n, 1) % ${2000 * times} AS l_partkey, 1 + hash(o_orderkey, n, 2) % ${100 * times} AS l_suppkey,
    n::INTEGER AS l_linenumber, (1 + hash(o_orderkey, n, 3) % 50)::DECIMAL(15, 2) AS l_quantity,
    (900 + hash(o_orderkey, n, 4) % 9000000 / 100)::DECIMAL(15, 2) AS l_extendedprice,
    (hash(o_orderkey, n, 5) % 11 / 100)::DECIMAL(15, 2) AS l_discount, (hash(o_orderkey, n, 6) % 9 / 100)::DECIMAL(15, 2) AS l_tax,
    ['A', 'N', 'R'][(hash(o_orderkey, n, 7) % 3)::INTEGER + 1] AS l_returnflag,
    ['F', 'O'][(hash(o_orderkey, n, 8) % 2)::INTEGER + 1] AS l_linestatus,
    o_orderdate + (1 + hash(o_orderkey, n, 9) % 120)::INTEGER AS l_shipdate,
    o_orderdate + (30 + hash(o_orderkey, n, 10) % 60)::INTEGER AS l_commitdate,
    o_orderdate + (2 + hash(o_orderkey, n, 11) % 150)::INTEGER AS l_receiptdate,
    ['COLLECT COD', 'DELIVER IN PERSON', 'NONE', 'TAKE BACK RETURN'][(hash(o_orderkey, n, 12) % 4)::INTEGER + 1] AS l_shipinstruct,
    ['AIR', 'FOB', 'MAIL', 'RAIL', 'REG AIR', 'SHIP', 'TRUCK'][(hash(o_orderkey, n, 13) % 7)::INTEGER + 1] AS l_shipmode,
    'line ' || n AS l_comment
  FROM orders, range(1, 8) t(n) WHERE n <= 1 + hash(o_orderkey) % 7;
`;
}
