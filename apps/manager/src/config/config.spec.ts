import { ConfigError, readConfig } from '.';

describe('the configuration', () => {
  it('serves the loopback on port 20900 unless told otherwise', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 20900,
      databaseUrl: null,
      apiKey: null,
      admin: { username: 'admin', password: null },
    });
  });

  it('has policies in force unless they are switched off, each kind by its own switch', () => {
    const policies = (env: Record<string, string>) => readConfig(env).policies;
    expect(policies({})).toEqual({ columnPolicies: true, rowPolicies: true });
    expect(policies({ GADWALL_CLS_ENABLED: 'false' })).toEqual({ columnPolicies: false, rowPolicies: true });
    expect(policies({ GADWALL_RLS_ENABLED: 'false' })).toEqual({ columnPolicies: true, rowPolicies: false });
  });

  it.each(['', '   '])('takes an empty key (%j) for none', (key) => {
    expect(readConfig({ GADWALL_API_KEY: key }).apiKey).toBeNull();
  });

  it.each([
    ['GADWALL_PORT', 'http'],
    ['GADWALL_PORT', '65536'],
    ['GADWALL_PORT', '-1'],
    ['GADWALL_PORT', '1e3'],
    ['DATABASE_URL', 'mysql://user:hunter2@host/db'],
    ['DATABASE_URL', 'hunter2'],
    ['GADWALL_SESSION_IDLE_SEC', '0'],
    ['GADWALL_SESSION_ABSOLUTE_SEC', 'forever'],
    ['GADWALL_LOG_LEVEL', 'loud'],
    ['GADWALL_NODE_MEMORY_LIMIT', 'plenty'],
    ['GADWALL_NODE_MEMORY_LIMIT', '-1'],
    ['GADWALL_LOG_FORMAT', 'xml'],
    ['GADWALL_CLS_ENABLED', 'no'],
    ['GADWALL_CLS_ENABLED', 'FALSE'],
    ['GADWALL_RLS_ENABLED', '0'],
  ])('refuses %s=%s by its name, without the value', (name, value) => {
    const read = (): unknown => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} must be `));
    expect(read).not.toThrow(/hunter2/);
  });
});
