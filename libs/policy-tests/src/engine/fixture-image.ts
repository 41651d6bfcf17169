import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Engine, type EngineConfig } from '@gadwall/engine';
import { DomainError, madeSecureView, type SecureView } from '@gadwall/rbac';
import { quoteIdentifier } from '@gadwall/rewriters';
import { AdminSyntaxError, isAdministration, parseAdministration } from '@gadwall/sqladmin';
import type { FixtureDatabase } from '../fixture';
import { type Outcome, outcomeOfError } from '../run/outcome';
import { type Admitted, rootAdmitted } from '../world';
import { type Absent, createdBy, isNamedIn } from './absent';
import { Door } from './door';

/** Of one engine: a case touches little, and several run at once. */
const ENGINE = { defaultSchema: 'main', initSql: null, threads: 1, memoryLimit: '1GB' } as const;

/** The databases of a fixture or a twin, filled once and kept as files, of which each case opens copies. */
export class FixtureImage {
  private constructor(
    private readonly databases: readonly FixtureDatabase[],
    private readonly folder: string,
    private readonly filled: Filled,
  ) {}

  /** The secure views that its statements have made. */
  get secureViews(): readonly SecureView[] {
    return this.filled.secureViews;
  }

  /**
   * Why a case proves nothing on these databases; null when it may run. A statement of the fixture that failed leaves them
   * other than they are meant to be. One that makes an object of a kind that Gadwall refuses to a superuser too leaves
   * them without that object: what a case is about that does not name it.
   */
  faultFor(statements: readonly string[]): string | null {
    const absent = this.filled.absent.find(({ object }) => statements.some((sql) => isNamedIn(object, sql)));
    return this.filled.fault ?? absent?.fault ?? null;
  }

  /**
   * Runs the statements of each database as a superuser, with it as the default, on the road of any other statement.
   *
   * @param root folder for all that is written; whoever made it removes it
   */
  static async fill(databases: readonly FixtureDatabase[], root: string): Promise<FixtureImage> {
    const folder = await mkdtemp(join(root, 'fixture-'));
    const writable = databases.map((database) => ({ ...database, kind: 'own' as const }));
    const door = new Door(await Engine.open(configOf(writable, folder)), rootAdmitted);
    try {
      return new FixtureImage(databases, folder, await fillAll(door, databases));
    } finally {
      await door.close();
    }
  }

  /** An engine on copies of its own. `close` removes them. */
  async open(admit: (username: string) => Admitted): Promise<{ door: Door; close: () => Promise<void> }> {
    const folder = await mkdtemp(join(this.folder, 'case-'));
    await Promise.all(this.databases.map((_, i) => copyFile(fileOf(this.folder, i), fileOf(folder, i))));
    const door = new Door(await Engine.open(configOf(this.databases, folder)), admit);
    const close = async () => {
      await door.close();
      await rm(folder, { recursive: true, force: true });
    };
    return { door, close };
  }
}

function fileOf(folder: string, i: number): string {
  return join(folder, `database-${i}.duckdb`);
}

function configOf(databases: readonly FixtureDatabase[], folder: string): EngineConfig {
  const catalogs = databases.map(({ name, kind }, i) => ({
    name,
    path: fileOf(folder, i),
    readOnly: kind === 'federated',
  }));
  return { ...ENGINE, catalogs, tempDirectory: join(folder, 'temp') };
}

interface Filled {
  fault: string | null;
  absent: Absent[];
  secureViews: SecureView[];
}

async function fillAll(door: Door, databases: readonly FixtureDatabase[]): Promise<Filled> {
  const absent: Absent[] = [];
  const secureViews: SecureView[] = [];
  for (const { name, statements } of databases) {
    const catalog = quoteIdentifier(name);
    for (const sql of [`USE ${catalog}.main`, ...statements, `CHECKPOINT ${catalog}`]) {
      const outcome = isAdministration(sql) ? await fillSecureView(door, sql, secureViews) : await door.ask(sql);
      if (outcome.kind === 'answer') continue;
      const object = outcome.kind === 'denied' ? createdBy(sql) : null;
      const fault = `${outcome.message}; in the SQL of "${name}": ${sql}`;
      if (object === null) return { fault, absent, secureViews };
      absent.push({ object, fault });
    }
  }
  return { fault: null, absent, secureViews };
}

/** Of the statements that no engine sees the SQL of a database has those alone that make secure views. */
async function fillSecureView(door: Door, sql: string, made: SecureView[]): Promise<Outcome> {
  try {
    const statement = parseAdministration(sql);
    if (statement.type !== 'create-secure-view') {
      throw new DomainError('sql_error', { detail: 'policy belongs in the manifest' });
    }
    const { view, query, orReplace } = statement;
    made.push(madeSecureView(await door.makeSecureView({ view, query, orReplace, secureViews: made }), view));
    return { kind: 'answer', columns: [], rows: [], affected: null, objects: [] };
  } catch (error) {
    if (error instanceof AdminSyntaxError) return { kind: 'error', code: 'sql_error', message: error.message };
    return outcomeOfError(error);
  }
}
