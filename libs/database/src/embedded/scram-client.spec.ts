import { ScramClient } from './scram-client';

describe('ScramClient', () => {
  it('connects to a server that proves to know the password', async () => {
    const client = new ScramClient({ connectionString: process.env.GADWALL_TEST_URL });
    await client.connect();
    expect((await client.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await client.end();
  });
});
