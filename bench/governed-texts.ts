/**
 * The texts of the governed bench. `{u}` is another number at every call where a text must never have been seen; a table in
 * braces is itself where a node governs the statement, and the relation that its policies make of it in the one written by hand.
 */
export const GOVERNED_TEXTS: Readonly<Record<string, string>> = {
  point: 'SELECT c_name, c_phone FROM {customer} WHERE c_custkey = 4242 AND {u} >= 0',
  q1: `SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
      sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
      sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty,
      avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order
    FROM {lineitem} WHERE l_shipdate <= CAST('1998-09-02' AS date) AND {u} >= 0
    GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus`,
  q3: `SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
    FROM {customer}, orders, {lineitem}
    WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
      AND o_orderdate < CAST('1995-03-15' AS date) AND l_shipdate > CAST('1995-03-15' AS date) AND {u} >= 0
    GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10`,
  q5: `SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
    FROM {customer}, orders, {lineitem}, {supplier}, nation, region
    WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
      AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
      AND o_orderdate >= CAST('1994-01-01' AS date) AND o_orderdate < CAST('1995-01-01' AS date) AND {u} >= 0
    GROUP BY n_name ORDER BY revenue DESC`,
  q8: `SELECT o_year, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS mkt_share
    FROM (SELECT extract(year FROM o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) AS volume, n2.n_name AS nation
      FROM part, {supplier}, {lineitem}, orders, {customer}, nation n1, nation n2, region
      WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey
        AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA'
        AND s_nationkey = n2.n_nationkey AND o_orderdate BETWEEN CAST('1995-01-01' AS date) AND CAST('1996-12-31' AS date)
        AND p_type = 'ECONOMY ANODIZED STEEL' AND {u} >= 0) AS all_nations
    GROUP BY o_year ORDER BY o_year`,
  q18: `SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) AS quantity
    FROM {customer}, orders, {lineitem}
    WHERE o_orderkey IN (SELECT l_orderkey FROM {lineitem} GROUP BY l_orderkey HAVING sum(l_quantity) > 250)
      AND c_custkey = o_custkey AND o_orderkey = l_orderkey AND {u} >= 0
    GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice ORDER BY o_totalprice DESC, o_orderdate LIMIT 100`,
  q21: `SELECT s_name, count(*) AS numwait FROM {supplier}, {lineitem l1}, orders, nation
    WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey AND o_orderstatus = 'F'
      AND l1.l_receiptdate > l1.l_commitdate
      AND EXISTS (SELECT * FROM {lineitem l2} WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
      AND NOT EXISTS (SELECT * FROM {lineitem l3} WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
        AND l3.l_receiptdate > l3.l_commitdate)
      AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA' AND {u} >= 0
    GROUP BY s_name ORDER BY numwait DESC, s_name LIMIT 100`,
};
