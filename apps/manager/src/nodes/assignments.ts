import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { DomainError, type NodeAssignment, type NodeCatalog, type SourceType } from '@gadwall/rbac';
import { readSetup } from '../database';
import { READS } from '../postgres';
import type { WantedNode } from './wanted-nodes';

interface DatabaseRow {
  tenant: string;
  kind: string;
  default_database: string;
  default_schema: string;
  data_path: string | null;
  read_only: boolean;
  setup_version: number | null;
}

/** What a node has to open, read when it registers. */
@Injectable()
export class Assignments {
  constructor(@Inject(READS) private readonly db: Queryable) {}

  /** @throws DomainError `not_found` when the database is gone */
  async of({
    databaseId,
    poolId,
  }: WantedNode): Promise<{ tenant: string; opens: Omit<NodeAssignment, 'managerKeys' | 'lease'> }> {
    const { rows } = await this.db.query<DatabaseRow>(
      `SELECT tenant, kind, default_database, default_schema, data_path, read_only, setup_version
       FROM tenant_db WHERE id = $1`,
      [databaseId],
    );
    const [row] = rows;
    if (row === undefined) throw new DomainError('not_found');
    const path = row.kind === 'memory' || row.data_path === null ? ':memory:' : row.data_path;
    if (path !== ':memory:') await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const opens = {
      catalogs: [{ name: row.default_database, path, readOnly: row.read_only }, ...(await this.sources(databaseId))],
      defaultSchema: row.default_schema,
      initSql: await this.initSql(databaseId, poolId, row.setup_version),
    };
    return { tenant: row.tenant, opens };
  }

  private async sources(databaseId: string): Promise<NodeCatalog[]> {
    const { rows } = await this.db.query<{ alias: string; type: SourceType; path: string }>(
      'SELECT alias, type, path FROM federated_source WHERE tenant_db_id = $1 ORDER BY alias COLLATE "C"',
      [databaseId],
    );
    return rows.map(({ alias, type, path }) => ({
      name: alias,
      path,
      readOnly: true,
      ...(type === 'sqlite' ? { type } : {}),
    }));
  }

  /** The operator's words for the database, then for each pool that this node serves. */
  private async initSql(databaseId: string, poolId: string | null, version: number | null): Promise<string | null> {
    const ofDatabase = await readSetup(this.db, databaseId, version);
    const { rows } = await this.db.query<{ id: string; setup_version: number | null }>(
      'SELECT id, setup_version FROM pool WHERE tenant_db_id = $1 AND ($2::uuid IS NULL OR id = $2::uuid) ORDER BY id',
      [databaseId, poolId],
    );
    const ofPools = await Promise.all(rows.map(({ id, setup_version }) => readSetup(this.db, id, setup_version)));
    const texts = [ofDatabase, ...ofPools].flatMap((setup) => (setup?.initSql ? [setup.initSql] : []));
    return texts.length > 0 ? texts.join(';\n') : null;
  }
}
