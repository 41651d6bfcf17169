import { demoPassword, TENANTS } from './tenants';

/** How to log in to the running demo and try it, to be pasted into a shell. */
export function howToTry({
  url,
  adminPassword,
  dataDir,
}: {
  url: string;
  adminPassword: string;
  dataDir: string;
}): string {
  const json = `-H 'content-type: application/json'`;
  const login = JSON.stringify({ tenant: 'acme', username: 'alice', password: demoPassword('alice') });
  const statement = (sql: string) => JSON.stringify({ tenant: 'acme', pool: 'bi', sql });
  const ask = (sql: string) => `     curl -s ${url}/api/sql -H "X-API-Key: $TOKEN" ${json} -d '${statement(sql)}'`;
  return [
    'Gadwall is up. Log in as:',
    '',
    ...accounts(adminPassword),
    '',
    'As alice, a read that is allowed and one that is not:',
    '',
    `     TOKEN=$(curl -s ${url}/api/auth/login ${json} -d '${login}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
    ask('SELECT c_mktsegment, count(*) FROM customer GROUP BY ALL'),
    ask('SELECT * FROM lineitem'),
    '',
    `API       ${url}/api/docs`,
    `Events    GADWALL_DATA_DIR=${dataDir} node dist/apps/cli/src/main.js events list`,
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

function accounts(adminPassword: string): string[] {
  const rows = [['superuser', 'admin', adminPassword, 'every pool']];
  for (const { id, users } of TENANTS) {
    for (const { username, pools } of users)
      rows.push([id, username, demoPassword(username), `pool ${pools.join(', ')}`]);
  }
  const widths = [0, 1, 2].map((i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) => `     ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('   ')}`);
}
