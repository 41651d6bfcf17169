import { isDeepStrictEqual } from 'node:util';
import type { Api } from './api';
import type { MadeTenant } from './tenants';
import type { Terminal } from './terminal';

const TABLE = { catalogName: 'acme_tpch', schemaName: 'tpch1', tableName: 'customer' };
/** Of seed 000's demo: the phone is masked, and of the customers a fifth is seen. */
const MASK = "concat(left(c_phone, 2), '-***-****')";
const ROWS = "c_mktsegment = 'BUILDING'";

const ASKED = 'SELECT c_custkey, c_name, c_phone FROM customer ORDER BY c_custkey';
/** What a superuser has to write to get what alice gets by her plain statement. */
const BY_HAND = `SELECT c_custkey, c_name, ${MASK} AS c_phone FROM customer WHERE ${ROWS} ORDER BY c_custkey`;

/**
 * Puts a mask and a row filter on role analyst, and holds what alice gets of the table then against what a superuser gets
 * by writing both into the statement.
 *
 * @returns whether they are equal, and differ from the table itself
 */
export async function showPolicies(terminal: Terminal, root: Api, alice: Api, { roles }: MadeTenant): Promise<boolean> {
  terminal.heading('The same statement, under a mask and a row filter');
  const before = await rows(alice, ASKED);
  const roleId = roles.analyst;
  await root.post('/api/role/column-policy/create', {
    roleId,
    ...TABLE,
    columnName: 'c_phone',
    action: 'mask',
    transformSql: MASK,
  });
  terminal.remark(`mask on customer.c_phone for role analyst: ${MASK}`);
  await root.post('/api/role/row-policy/create', { roleId, ...TABLE, predicateSql: ROWS });
  terminal.remark(`row policy on customer for role analyst: ${ROWS}`);
  const [all, seen, byHand] = [await rows(root, ASKED), await rows(alice, ASKED), await rows(root, BY_HAND)];
  terminal.line(`   ${ASKED}`);
  terminal.line(`      superuser  ${inShort(all)}`);
  terminal.line(`      alice      ${inShort(seen)}`);
  const equal = isDeepStrictEqual(seen, byHand) && isDeepStrictEqual(before, all) && seen.length < all.length;
  terminal.line(
    equal
      ? `   ${(all.length - seen.length).toLocaleString('en-US')} rows are hidden from her, and every phone; what is left is what a superuser gets who writes both by hand`
      : '   ✗ this is not what the policies say',
  );
  return equal;
}

async function rows(api: Api, sql: string): Promise<unknown[][]> {
  const { status, body } = await api.sql('acme', 'bi', sql);
  if (status !== 200) throw new Error(`${sql} answered ${status}: ${body.message ?? ''}`);
  return body.rows ?? [];
}

function inShort(all: unknown[][]): string {
  return `${all.length.toLocaleString('en-US').padStart(6)} rows, the first: ${(all[0] ?? []).join(', ')}`;
}
