import { applyEvents } from './apply-events';
import { EVENT_COLUMNS, recordedEvent, type EventRow } from './event-row';
import { ReplayError } from './errors';
import { renewMembershipKeys } from './projections/membership-key';
import { inTransaction, type Queryable } from './queryable';
import type { Pool } from 'pg';
import type { EventCatalogue } from './catalogue';
import type { RecordedEvent } from './event';
import type { Projection } from './projection';

/** A row that the log and the live table do not agree on. Names columns, never values: some are nobody's business. */
export interface Difference {
  table: string;
  /** Primary key of the row. */
  key: Record<string, unknown>;
  /** `missing`: only the log gives it; `extra`: only the live table has it. */
  kind: 'missing' | 'extra' | 'changed';
  /** The columns that differ, of a changed row. */
  columns: string[];
}

/** Outcome of `rebuild`. */
export interface Rebuild {
  events: number;
  /** Tables compared, with the number of rows that the log gives. */
  tables: Record<string, number>;
  /** At most `maxDifferences` of each table. */
  differences: Difference[];
  /** Whether the live tables were replaced by what the log gives. */
  applied: boolean;
}

export interface RebuildOptions {
  catalogue?: EventCatalogue;
  /** Put the replayed rows in the place of the live ones if they differ. Mutations wait meanwhile. */
  apply?: boolean;
  /** Events read at a time. */
  batch?: number;
  maxDifferences?: number;
  onProgress?: (replayed: number, total: number) => void;
}

interface DerivedTable {
  name: string;
  schema: string;
  key: string[];
  /** What a deletion of its rows deletes: by the foreign keys of others, as the statement that does so. */
  cascades: string[];
}

/**
 * Replays the whole log into empty tables, by the same projections, and compares every derived table with the live one, byte
 * for byte, on one snapshot (DESIGN section 3, invariant 8).
 *
 * The empty tables are temporary ones of the same names, which hide the live ones; while events are replayed the transaction
 * is read-only, so that a projection that names a schema fails instead of writing to a live table.
 *
 * @throws ReplayError with the event that is unknown or that a projection fails on; an error if a derived table refers to one
 *   that is not derived
 */
export async function rebuild(
  pool: Pool,
  projections: readonly Projection[],
  options: RebuildOptions = {},
): Promise<Rebuild> {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ';
  return inTransaction(pool, begin, (db) => rebuildIn(db, projections, options));
}

// The planner knows nothing of temporary tables that grow under it, and would read them whole for a few hundred rows.
const BY_INDEX = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];

async function rebuildIn(db: Queryable, projections: readonly Projection[], options: RebuildOptions): Promise<Rebuild> {
  // Before the session's first temporary table. The default of 8 MB is written out and read again all the time.
  await db.query(`SET LOCAL temp_buffers = '256MB'`);
  // Before the first read, which fixes the snapshot: who mutates locks rows of it.
  if (options.apply) await db.query('LOCK TABLE stream IN EXCLUSIVE MODE');
  const tables = await describe(db, [...new Set(projections.flatMap((projection) => projection.tables))]);
  await createEmpty(db, tables);
  const events = await replay(db, projections, tables, options);
  const differences: Difference[] = [];
  const limit = Math.max(1, options.maxDifferences ?? 20);
  for (const table of tables) differences.push(...(await compare(db, table, limit)));
  const applied = options.apply === true && differences.length > 0;
  if (applied) await replaceLive(db, tables);
  return { events, tables: await countRows(db, tables), differences, applied };
}

/** The live tables, in the order given; read before temporary ones hide them. */
async function describe(db: Queryable, names: string[]): Promise<DerivedTable[]> {
  const { rows } = await db.query<DerivedTable & { foreign: string[] | null }>(
    `SELECT t.name, n.nspname AS schema,
       (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_index i JOIN pg_attribute a
          ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) WHERE i.indrelid = c.oid AND i.indisprimary) AS key,
       coalesce((SELECT array_agg(format('DELETE FROM %I AS child USING gone WHERE %s', k.conrelid::regclass::text,
            (SELECT string_agg(format('child.%I = gone.%I', own.attname, other.attname), ' AND ')
             FROM unnest(k.conkey, k.confkey) AS pair(own, other)
             JOIN pg_attribute own ON own.attrelid = k.conrelid AND own.attnum = pair.own
             JOIN pg_attribute other ON other.attrelid = k.confrelid AND other.attnum = pair.other)))
          FROM pg_constraint k WHERE k.confrelid = c.oid AND k.contype = 'f' AND k.confdeltype = 'c'
            AND k.conrelid::regclass::text = ANY($1)), '{}') AS cascades,
       (SELECT array_agg(k.confrelid::regclass::text) FROM pg_constraint k
          WHERE k.conrelid = c.oid AND k.contype = 'f' AND NOT k.confrelid::regclass::text = ANY($1)) AS foreign
     FROM unnest($1::text[]) WITH ORDINALITY AS t(name, n)
     JOIN pg_class c ON c.oid = to_regclass(t.name) JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY t.n`,
    [names],
  );
  const unknown = names.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) throw new Error(`no such derived table: ${unknown.join(', ')}`);
  for (const { name, foreign, key } of rows) {
    if (foreign) throw new Error(`derived table ${name} refers to ${foreign.join(', ')}, which no projection makes`);
    if (!key) throw new Error(`derived table ${name} has no primary key`);
  }
  return rows;
}

async function createEmpty(db: Queryable, tables: DerivedTable[]): Promise<void> {
  for (const { name, schema } of tables) {
    await db.query(
      `CREATE TEMPORARY TABLE ${quote(name)} (LIKE ${quote(schema)}.${quote(name)} INCLUDING ALL) ON COMMIT DROP`,
    );
  }
  // Deletions cascade as in the live tables. That rows refer to what is there is not checked, which took a third of a replay:
  // the live tables were checked, and are compared.
  for (const { name, cascades } of tables) {
    if (cascades.length === 0) continue;
    const cascade = `pg_temp.${quote(`cascade_${name}`)}`;
    await db.query(
      `CREATE OR REPLACE FUNCTION ${cascade}() RETURNS trigger LANGUAGE plpgsql AS
       $cascade$ BEGIN ${cascades.join('; ')}; RETURN NULL; END $cascade$`,
    );
    await db.query(
      `CREATE TRIGGER cascade AFTER DELETE ON ${quote(name)} REFERENCING OLD TABLE AS gone
       FOR EACH STATEMENT EXECUTE FUNCTION ${cascade}()`,
    );
  }
}

/** @returns the number of events */
async function replay(
  db: Queryable,
  projections: readonly Projection[],
  tables: DerivedTable[],
  options: RebuildOptions,
): Promise<number> {
  // One savepoint for all: with one a batch, rows that are referred to from several are locked by several transactions.
  await db.query('SAVEPOINT replay');
  const oneByOne = new Set<number>();
  for (;;) {
    await db.query('SET TRANSACTION READ ONLY');
    for (const setting of BY_INDEX) await db.query(`SET LOCAL ${setting} = off`);
    const { replayed, failed } = await replayBatches(db, projections, tables, oneByOne, options);
    if (failed === undefined) {
      if (tables.some((table) => table.name === 'tenant')) await setPolicyVersions(db);
      for (const setting of BY_INDEX) await db.query(`SET LOCAL ${setting} TO DEFAULT`);
      await db.query('RELEASE SAVEPOINT replay'); // and with it the read-only mode
      return replayed;
    }
    // A failed group does not tell which of its events is at fault.
    await db.query('ROLLBACK TO SAVEPOINT replay');
    oneByOne.add(failed);
  }
}

/**
 * Replays the log in batches, each of them together, those of the given numbers one event after the other.
 *
 * @returns the number of events, and of the batch that failed together
 * @throws ReplayError with the event at fault, from a batch that is replayed one by one
 */
async function replayBatches(
  db: Queryable,
  projections: readonly Projection[],
  tables: readonly DerivedTable[],
  oneByOne: ReadonlySet<number>,
  { catalogue, batch = 5000, onProgress }: RebuildOptions,
): Promise<{ replayed: number; failed?: number }> {
  const total = Number((await db.query<{ n: string }>('SELECT count(*) AS n FROM event')).rows[0]?.n ?? 0);
  const newest = (row: EventRow) => {
    const event = recordedEvent(row);
    return catalogue?.upcast(event) ?? event;
  };
  const staleKeys = new Set<string>();
  let replayed = 0;
  let number = 0;
  // By position: it rises along cause and effect, also from one stream to another.
  for await (const rows of batches(db, batch)) {
    if (oneByOne.has(number)) {
      for (const row of rows) await replayOne(db, projections, row, newest, staleKeys);
    } else {
      try {
        await applyEvents(db, projections, rows.map(newest), staleKeys);
      } catch {
        return { replayed, failed: number };
      }
    }
    replayed += rows.length;
    onProgress?.(replayed, total);
    // Nobody else counts what is in temporary tables; each time that they have doubled is often enough.
    if (Number.isInteger(Math.log2(++number)))
      await db.query(`ANALYZE ${tables.map(({ name }) => quote(name)).join(', ')}`);
  }
  await renewMembershipKeys(db, staleKeys);
  return { replayed };
}

async function replayOne(
  db: Queryable,
  projections: readonly Projection[],
  row: EventRow,
  newest: (row: EventRow) => RecordedEvent,
  staleKeys: Set<string>,
): Promise<void> {
  try {
    await applyEvents(db, projections, [newest(row)], staleKeys);
  } catch (error) {
    throw new ReplayError(row.tenant, Number(row.version), row.type, error);
  }
}

async function setPolicyVersions(db: Queryable): Promise<void> {
  await db.query(
    `UPDATE tenant SET policy_version = s.version
     FROM (SELECT tenant, max(version) AS version FROM event GROUP BY tenant) AS s WHERE s.tenant = tenant.id`,
  );
}

async function* batches(db: Queryable, size: number): AsyncGenerator<EventRow[]> {
  for (let after = '0'; ;) {
    const { rows } = await db.query<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE position > $1 ORDER BY position LIMIT $2`,
      [after, size],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.position;
  }
}

async function compare(db: Queryable, { name, schema, key }: DerivedTable, limit: number): Promise<Difference[]> {
  const first = quote(key[0] ?? '');
  const on = key.map((column) => `l.${quote(column)} = r.${quote(column)}`).join(' AND ');
  const keys = key.map((column) => `'${column}', coalesce(l.${quote(column)}, r.${quote(column)})`).join(', ');
  const { rows } = await db.query<Omit<Difference, 'table'>>(
    `SELECT jsonb_build_object(${keys}) AS key,
       CASE WHEN l.${first} IS NULL THEN 'missing' WHEN r.${first} IS NULL THEN 'extra' ELSE 'changed' END AS kind,
       coalesce((SELECT array_agg(a.key ORDER BY a.key) FROM jsonb_each(to_jsonb(l)) AS a JOIN jsonb_each(to_jsonb(r)) AS b
          USING (key) WHERE a.value <> b.value), '{}') AS columns
     FROM ${quote(schema)}.${quote(name)} AS l FULL JOIN ${quote(name)} AS r ON ${on}
     WHERE l::text IS DISTINCT FROM r::text ORDER BY 1 LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({ table: name, ...row }));
}

async function replaceLive(db: Queryable, tables: DerivedTable[]): Promise<void> {
  for (const { name, schema } of [...tables].reverse()) await db.query(`DELETE FROM ${quote(schema)}.${quote(name)}`);
  for (const { name, schema } of tables) {
    await db.query(`INSERT INTO ${quote(schema)}.${quote(name)} SELECT * FROM ${quote(name)}`);
  }
}

async function countRows(db: Queryable, tables: DerivedTable[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    counts[name] = Number((await db.query<{ n: string }>(`SELECT count(*) AS n FROM ${quote(name)}`)).rows[0]?.n ?? 0);
  }
  return counts;
}

function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
