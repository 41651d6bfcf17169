/**
 * Some of the tables of TPC-DS with their names and columns, filled by SQL: the engine's `dsdgen` is not in its npm build.
 * Values are of the same kinds, and the same at every run. Five years of days, 40,000 store sales.
 */
export const TPCDS_SQL = `
CREATE TABLE date_dim AS
  SELECT sk AS d_date_sk, 'AAAAAAAA' || lpad(i::VARCHAR, 8, '0') AS d_date_id, d AS d_date,
    (y - 1900) * 12 + m - 1 AS d_month_seq, 5112 + i // 7 AS d_week_seq, (y - 1900) * 4 + q - 1 AS d_quarter_seq,
    y AS d_year, dow AS d_dow, m AS d_moy, dom AS d_dom, q AS d_qoy, y AS d_fy_year,
    (y - 1900) * 4 + q - 1 AS d_fy_quarter_seq, 5112 + i // 7 AS d_fy_week_seq, dayname(d) AS d_day_name,
    y || 'Q' || q AS d_quarter_name, CASE WHEN m = 12 AND dom = 25 THEN 'Y' ELSE 'N' END AS d_holiday,
    CASE WHEN dow IN (0, 6) THEN 'Y' ELSE 'N' END AS d_weekend,
    CASE WHEN m = 12 AND dom = 26 THEN 'Y' ELSE 'N' END AS d_following_holiday, sk - dom + 1 AS d_first_dom,
    sk - dom + day(last_day(d))::INTEGER AS d_last_dom, sk - 365 AS d_same_day_ly, sk - 91 AS d_same_day_lq,
    'N' AS d_current_day, 'N' AS d_current_week, 'N' AS d_current_month, 'N' AS d_current_quarter, 'N' AS d_current_year
  FROM (
    SELECT i, 2450815 + i AS sk, d, year(d)::INTEGER AS y, quarter(d)::INTEGER AS q, month(d)::INTEGER AS m,
      day(d)::INTEGER AS dom, dayofweek(d)::INTEGER AS dow
    FROM (SELECT i::INTEGER AS i, (DATE '1998-01-01' + i::INTEGER)::DATE AS d FROM range(1826) r(i))
  );

CREATE TABLE item AS
  SELECT i::INTEGER AS i_item_sk, 'AAAAAAAA' || lpad(i::VARCHAR, 8, '0') AS i_item_id, DATE '1997-10-27' AS i_rec_start_date,
    NULL::DATE AS i_rec_end_date, 'item ' || i AS i_item_desc, (1 + hash(i, 1) % 9900 / 100)::DECIMAL(7, 2) AS i_current_price,
    (1 + hash(i, 2) % 5000 / 100)::DECIMAL(7, 2) AS i_wholesale_cost, (1001001 + hash(i, 3) % 1000)::INTEGER AS i_brand_id,
    'brand #' || 1 + hash(i, 3) % 1000 AS i_brand, (1 + hash(i, 4) % 16)::INTEGER AS i_class_id,
    'class ' || 1 + hash(i, 4) % 16 AS i_class, c AS i_category_id,
    ['Women', 'Men', 'Children', 'Shoes', 'Music', 'Jewelry', 'Home', 'Sports', 'Books', 'Electronics'][c] AS i_category,
    (1 + hash(i, 6) % 1000)::INTEGER AS i_manufact_id, 'manufacturer ' || 1 + hash(i, 6) % 1000 AS i_manufact,
    ['small', 'medium', 'large', 'extra large', 'N/A'][(hash(i, 7) % 5)::INTEGER + 1] AS i_size,
    'formulation ' || hash(i, 8) % 1000 AS i_formulation,
    ['red', 'blue', 'green', 'ivory', 'navy', 'plum'][(hash(i, 9) % 6)::INTEGER + 1] AS i_color,
    ['Each', 'Dozen', 'Case', 'Pound'][(hash(i, 10) % 4)::INTEGER + 1] AS i_units, 'Unknown' AS i_container,
    (1 + hash(i, 11) % 100)::INTEGER AS i_manager_id, 'product ' || i AS i_product_name
  FROM (SELECT i, (1 + hash(i, 5) % 10)::INTEGER AS c FROM range(1, 1001) r(i));

CREATE TABLE customer_address AS
  SELECT i::INTEGER AS ca_address_sk, 'AAAAAAAA' || lpad(i::VARCHAR, 8, '0') AS ca_address_id,
    (1 + hash(i, 12) % 999)::VARCHAR AS ca_street_number, ['Main', 'Oak', 'Park', 'Hill'][(hash(i, 13) % 4)::INTEGER + 1] AS ca_street_name,
    ['Street', 'Avenue', 'Road', 'Lane'][(hash(i, 14) % 4)::INTEGER + 1] AS ca_street_type, 'Suite ' || hash(i, 15) % 100 AS ca_suite_number,
    ['Midway', 'Fairview', 'Oak Grove', 'Riverside'][(hash(i, 16) % 4)::INTEGER + 1] AS ca_city,
    ['Williamson County', 'Walker County', 'Ziebach County'][(hash(i, 17) % 3)::INTEGER + 1] AS ca_county,
    ['TN', 'AL', 'SD', 'GA', 'OH', 'TX'][(hash(i, 18) % 6)::INTEGER + 1] AS ca_state, lpad((hash(i, 19) % 100000)::VARCHAR, 5, '0') AS ca_zip,
    'United States' AS ca_country, (-5 - (hash(i, 20) % 4)::INTEGER)::DECIMAL(5, 2) AS ca_gmt_offset,
    ['apartment', 'condo', 'single family'][(hash(i, 21) % 3)::INTEGER + 1] AS ca_location_type
  FROM range(1, 1001) r(i);

CREATE TABLE customer AS
  SELECT i::INTEGER AS c_customer_sk, 'AAAAAAAA' || lpad(i::VARCHAR, 8, '0') AS c_customer_id,
    (1 + hash(i, 22) % 1920800)::INTEGER AS c_current_cdemo_sk, (1 + hash(i, 23) % 7200)::INTEGER AS c_current_hdemo_sk,
    (1 + hash(i, 24) % 1000)::INTEGER AS c_current_addr_sk, (2450815 + hash(i, 25) % 1826)::INTEGER AS c_first_shipto_date_sk,
    (2450815 + hash(i, 26) % 1826)::INTEGER AS c_first_sales_date_sk,
    ['Mr.', 'Mrs.', 'Ms.', 'Dr.'][(hash(i, 27) % 4)::INTEGER + 1] AS c_salutation, 'First' || i AS c_first_name,
    'Last' || hash(i, 28) % 500 AS c_last_name, ['Y', 'N'][(hash(i, 29) % 2)::INTEGER + 1] AS c_preferred_cust_flag,
    (1 + hash(i, 30) % 28)::INTEGER AS c_birth_day, (1 + hash(i, 31) % 12)::INTEGER AS c_birth_month,
    (1924 + hash(i, 32) % 69)::INTEGER AS c_birth_year, ['CANADA', 'FRANCE', 'JAPAN', 'PERU'][(hash(i, 33) % 4)::INTEGER + 1] AS c_birth_country,
    NULL::VARCHAR AS c_login, 'customer' || i || '@example.com' AS c_email_address,
    (2450815 + hash(i, 34) % 1826)::INTEGER AS c_last_review_date_sk
  FROM range(1, 2001) r(i);

CREATE TABLE store AS
  SELECT i::INTEGER AS s_store_sk, 'AAAAAAAA' || lpad(i::VARCHAR, 8, '0') AS s_store_id, DATE '1997-03-13' AS s_rec_start_date,
    NULL::DATE AS s_rec_end_date, NULL::INTEGER AS s_closed_date_sk,
    ['ought', 'able', 'pri', 'ese', 'anti', 'cally'][(i - 1) % 6 + 1] AS s_store_name,
    (200 + hash(i, 35) % 100)::INTEGER AS s_number_employees, (5000000 + hash(i, 36) % 5000000)::INTEGER AS s_floor_space,
    '8AM-8AM' AS s_hours, 'manager ' || i AS s_manager, (1 + hash(i, 37) % 10)::INTEGER AS s_market_id,
    'Unknown' AS s_geography_class, 'market ' || i AS s_market_desc, 'market manager ' || i AS s_market_manager,
    1 AS s_division_id, 'Unknown' AS s_division_name, 1 AS s_company_id, 'Unknown' AS s_company_name,
    (1 + hash(i, 38) % 999)::VARCHAR AS s_street_number, 'Main' AS s_street_name, 'Street' AS s_street_type,
    'Suite ' || i AS s_suite_number, ['Midway', 'Fairview'][i % 2 + 1] AS s_city, 'Williamson County' AS s_county, 'TN' AS s_state,
    '31904' AS s_zip, 'United States' AS s_country, -5.00::DECIMAL(5, 2) AS s_gmt_offset, 0.03::DECIMAL(5, 2) AS s_tax_precentage
  FROM range(1, 13) r(i);

CREATE TABLE promotion AS
  SELECT i::INTEGER AS p_promo_sk, 'AAAAAAAA' || lpad(i::VARCHAR, 8, '0') AS p_promo_id,
    (2450815 + hash(i, 39) % 1700)::INTEGER AS p_start_date_sk, (2450815 + hash(i, 39) % 1700 + 30)::INTEGER AS p_end_date_sk,
    (1 + hash(i, 40) % 1000)::INTEGER AS p_item_sk, 1000.00::DECIMAL(15, 2) AS p_cost, 1 AS p_response_target,
    ['ought', 'able', 'pri', 'ese'][i % 4 + 1] AS p_promo_name, ['Y', 'N'][i % 2 + 1] AS p_channel_dmail, 'N' AS p_channel_email,
    'N' AS p_channel_catalog, 'N' AS p_channel_tv, 'N' AS p_channel_radio, 'N' AS p_channel_press, 'N' AS p_channel_event,
    'N' AS p_channel_demo, 'promotion ' || i AS p_channel_details, 'Unknown' AS p_purpose, 'N' AS p_discount_active
  FROM range(1, 31) r(i);

CREATE TABLE store_sales AS
  SELECT (2450815 + hash(t, 41) % 1826)::INTEGER AS ss_sold_date_sk, (28800 + hash(t, 42) % 46800)::INTEGER AS ss_sold_time_sk,
    (1 + hash(i, 43) % 1000)::INTEGER AS ss_item_sk, (1 + hash(t, 44) % 2000)::INTEGER AS ss_customer_sk,
    (1 + hash(t, 45) % 1920800)::INTEGER AS ss_cdemo_sk, (1 + hash(t, 46) % 7200)::INTEGER AS ss_hdemo_sk,
    (1 + hash(t, 47) % 1000)::INTEGER AS ss_addr_sk, (1 + hash(t, 48) % 12)::INTEGER AS ss_store_sk,
    (1 + hash(i, 49) % 30)::INTEGER AS ss_promo_sk, t AS ss_ticket_number, q AS ss_quantity, w AS ss_wholesale_cost,
    l AS ss_list_price, s AS ss_sales_price, (q * (l - s))::DECIMAL(7, 2) AS ss_ext_discount_amt, (q * s)::DECIMAL(7, 2) AS ss_ext_sales_price,
    (q * w)::DECIMAL(7, 2) AS ss_ext_wholesale_cost, (q * l)::DECIMAL(7, 2) AS ss_ext_list_price, (q * s * 0.03)::DECIMAL(7, 2) AS ss_ext_tax,
    0.00::DECIMAL(7, 2) AS ss_coupon_amt, (q * s)::DECIMAL(7, 2) AS ss_net_paid, (q * s * 1.03)::DECIMAL(7, 2) AS ss_net_paid_inc_tax,
    (q * (s - w))::DECIMAL(7, 2) AS ss_net_profit
  FROM (
    SELECT i, t, q, w, l, (l * (20 + hash(i, 53) % 81) / 100)::DECIMAL(7, 2) AS s
    FROM (
      SELECT i, 1 + i // 10 AS t, (1 + hash(i, 50) % 100)::INTEGER AS q, (1 + hash(i, 51) % 9900 / 100)::DECIMAL(7, 2) AS w,
        ((1 + hash(i, 51) % 9900 / 100) * (1 + hash(i, 52) % 100 / 100))::DECIMAL(7, 2) AS l
      FROM range(40000) r(i)
    )
  );
`;
