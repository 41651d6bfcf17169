import type { PolicyEvent } from '@gadwall/rbac';
import { isShow, parseAdministration, summaryOf } from '.';

const edge: PolicyEvent = { type: 'user-role.added', data: { userId: 'u', roleId: 'r' } };
const made: PolicyEvent = {
  type: 'user.created',
  data: { userId: 'u', kind: 'user', profileVersion: 1, credentialVersion: 1, mustChangePassword: false },
};

function summary(text: string, events: PolicyEvent[]): string {
  const statement = parseAdministration(text);
  if (isShow(statement)) throw new Error('changes nothing');
  return summaryOf(statement, events);
}

test.each([
  ['CREATE ROLE r', 'role r created'],
  ['DROP GROUP g', 'group g dropped'],
  ['GRANT ROLE r TO USER u', 'role r granted to user u'],
  ['REVOKE ROLE r FROM GROUP g', 'role r revoked from group g'],
  ['ALTER GROUP g ADD USER u', 'user u added to group g'],
  ['ALTER GROUP g DROP USER u', 'user u removed from group g'],
  ['GRANT SELECT, UPDATE ON main.t TO r', 'RW on *.main.t granted to role r'],
  ['REVOKE ALL ON a.b.c FROM r', 'ALL on a.b.c revoked from role r'],
  ['GRANT CONNECT ON POOL * TO GROUP g', 'every pool granted to group g'],
  ['REVOKE CONNECT ON POOL d.p FROM USER u', 'pool p revoked from user u'],
  ["ALTER USER u PASSWORD 'hunter2'", 'user u altered'],
  ['CREATE ROW POLICY ON t FOR ROLE r USING (true)', 'row policy of role r on *.*.t created'],
  ['CREATE SECURE VIEW a.b.c AS SELECT 1', 'secure view a.b.c created'],
  ['DROP SECURE VIEW a.b.c', 'secure view a.b.c dropped'],
  ['DROP COLUMN POLICY ON t COLUMN c FOR ROLE r', 'column policy of role r on *.*.t, column c, dropped'],
])('%s: %s', (text, words) => {
  expect(summary(text, [edge])).toBe(words);
  expect(summary(text, [])).toBe('nothing to change');
});

test('a policy that took the place of another', () => {
  const changed: PolicyEvent = {
    type: 'row-policy.changed',
    data: { policyId: 'p', roleId: 'r', predicateSql: 'a', canonical: 'a' },
  };
  const text = 'CREATE OR REPLACE ROW POLICY ON t FOR ROLE r USING (true)';
  expect(summary(text, [changed])).toBe('row policy of role r on *.*.t changed');
});

test('a user who was made, and one who was there', () => {
  const text = "CREATE USER u PASSWORD 'hunter2'";
  expect(summary(text, [made, edge])).toBe('user u created');
  expect(summary(text, [edge])).toBe('user u was there already: memberships were attached, the password is as it was');
  expect(summary(text, [])).toBe('user u was there already: nothing to attach, the password is as it was');
});
