import { type EventStore, type Queryable, type RecordedEvent, SYSTEM_STREAM } from '@gadwall/events';
import { superuserSet, setDigest } from '@gadwall/rbac';
import type { HeldSet } from './tenant-mirror';

interface Superuser {
  enabled: boolean;
  held: HeldSet;
}

interface SystemRow {
  version: string;
  tenants: { id: string; disabled: boolean }[];
  superusers: { id: string; username: string; enabled: boolean }[];
}

const SYSTEM = `SELECT s.version,
    (SELECT coalesce(json_agg(json_build_object('id', id, 'disabled', disabled)), '[]') FROM tenant) AS tenants,
    (SELECT coalesce(json_agg(json_build_object('id', u.id, 'username', p.username, 'enabled', u.enabled)), '[]')
       FROM app_user u JOIN user_profile p ON p.user_id = u.id AND p.version = u.profile_version
       WHERE u.tenant IS NULL) AS superusers
  FROM stream s WHERE s.tenant = '${SYSTEM_STREAM}'`;

/**
 * `$system` in memory: which tenants there are and whether they are switched off, and the superusers. Few rows that change
 * seldom: an event of the stream has them all read again.
 */
export class SystemMirror {
  private tenants = new Map<string, { disabled: boolean }>();
  private superusers = new Map<string, Superuser>();
  private current = -1;
  /** The highest version heard of. */
  private wanted = 0;
  private reading: Promise<void> | null = null;
  private generation = 0;

  constructor(
    private readonly db: Queryable,
    readonly events: EventStore,
  ) {}

  get version(): number {
    return this.current;
  }

  /** False while a version that was heard of has not been read. */
  get fresh(): boolean {
    return this.current >= this.wanted && this.current >= 0;
  }

  tenant(id: string): { disabled: boolean } | undefined {
    return this.tenants.get(id);
  }

  superuser(id: string): Superuser | undefined {
    return this.superusers.get(id);
  }

  apply(events: readonly RecordedEvent[]): void {
    for (const { version } of events) this.wanted = Math.max(this.wanted, version);
  }

  /** Resolves when everything is of `version`, or of the highest heard of. */
  async catchUp(version = this.wanted): Promise<void> {
    this.wanted = Math.max(this.wanted, version);
    while (!this.fresh) {
      this.reading ??= this.read().finally(() => (this.reading = null));
      await this.reading;
    }
  }

  forget(): void {
    this.generation++;
    this.current = -1;
    this.wanted = 0;
  }

  private async read(): Promise<void> {
    const { generation } = this;
    const { rows } = await this.db.query<SystemRow>(SYSTEM);
    const [row] = rows;
    if (!row) throw new Error('there is no $system stream');
    if (generation !== this.generation) return;
    this.tenants = new Map(row.tenants.map(({ id, disabled }) => [id, { disabled }]));
    this.superusers = new Map(
      row.superusers.map(({ id, username, enabled }) => {
        const set = superuserSet(username);
        return [id, { enabled, held: { set, digest: setDigest(set) } }];
      }),
    );
    this.current = Number(row.version);
  }
}
