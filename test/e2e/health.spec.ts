import { freshDatabase } from '../support/fresh-database';
import { startManager } from '../support/manager';

describe('health', () => {
  it('tells a live process from one that can serve, and an outage from a fault', async () => {
    const database = await freshDatabase();
    const manager = await startManager({}, database);
    try {
      expect((await manager.anonymous.get('/health')).body).toEqual({ status: 'ok' });
      expect((await manager.anonymous.get('/ready')).status).toBe(200);
      const session = await manager.login('admin', null);
      await database.drop();
      expect((await manager.anonymous.get('/health')).status).toBe(200);
      expect((await manager.anonymous.get('/ready')).status).toBe(503);
      for (const client of [manager.root, session]) {
        const answer = await client.get('/api/tenant/list');
        expect(answer.status).toBe(503);
        expect(answer.body).toMatchObject({ error: 'unavailable', retryable: true });
      }
    } finally {
      await manager.stop();
    }
  });

  it('serves its own description', async () => {
    const manager = await startManager();
    try {
      const page = await manager.anonymous.get('/api/docs');
      expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')]);
      const document = await manager.anonymous.get('/api/docs-json');
      expect(document.body.paths).toHaveProperty('/api/role/permission/grant');
      expect((await manager.anonymous.get('/api/docs/../tenant/list')).status).toBe(401);
    } finally {
      await manager.stop();
    }
  });
});
