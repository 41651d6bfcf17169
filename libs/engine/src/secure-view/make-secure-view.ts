import { DomainError, type SecureView, type SecureViewMaking, type SecureViewOutcome } from '@gadwall/rbac';
import {
  CannotGovern,
  isAsMade,
  quoteIdentifier,
  quoteLiteral,
  render,
  screen,
  Screened,
  ScreenRefusal,
  secureViewBases,
  SecureViewFault,
  type SessionCatalog,
  tableKey,
} from '@gadwall/rewriters';
import { Engine, NodeConnection, readCatalog, runError } from '../duckdb';
import { READERS } from '../duckdb/readings';
import type { CatalogEpoch } from '../pipeline/catalog-epoch';
import { EngineTask } from '../pipeline/engine-task';
import { SecureViewPlans } from '../pipeline/secure-view-plans';

/** ms that the engine may work on one view. */
const TIME_LIMIT = 10_000;

/** What a node makes secure views with. */
export interface SecureViewMaker {
  engine: Engine;
  epoch: CatalogEpoch;
  plans: SecureViewPlans;
}

/** The view is not made, for a reason of another kind than {@link SecureViewFault}. */
class Impossible extends Error {}

/**
 * Makes a secure view in the catalog, for a superuser, and says what it stands for. Whether it is one is for whoever has the
 * policy to say: until then it is a view like any other, which its readers read with their own rights.
 *
 * @throws DomainError `statement_timeout`
 */
export async function makeSecureView(maker: SecureViewMaker, making: SecureViewMaking): Promise<SecureViewOutcome> {
  try {
    const query = screened(making.query);
    return await changing(maker, (task) => make(task, query, making, maker));
  } catch (error) {
    if (error instanceof SecureViewFault) return { outcome: 'refused', message: error.message };
    if (error instanceof Impossible) return { outcome: 'invalid', message: error.message };
    throw error;
  }
}

/** Removes a view that was a secure one, as far as the catalog still has it as it was made. */
export async function dropSecureView(maker: SecureViewMaker, view: SecureView): Promise<void> {
  await changing(maker, async (task) => {
    const { tables } = await task.call(readCatalog);
    const found = tables.get(tableKey(view));
    if (found?.kind !== 'view' || !found.query || render(found.query.tokens) !== view.body) return;
    await task.call((connection) => connection.run(`DROP VIEW ${inFull(found)}`));
  });
}

/** The query is screened as any statement is, but that it is a superuser's. */
function screened(query: string): Screened {
  try {
    const one = screen(query);
    if (one.shape !== 'select') throw new SecureViewFault('the body of a secure view is a query');
    const [finding] = one.findings;
    if (finding) throw new SecureViewFault(`a secure view cannot hold this: ${finding.message}`);
    return one;
  } catch (error) {
    if (error instanceof ScreenRefusal) throw new Impossible(error.message);
    throw error;
  }
}

/** In a transaction of its own on a connection of its own; what fails leaves nothing. */
async function changing<T>({ engine, epoch }: SecureViewMaker, work: (task: EngineTask) => Promise<T>): Promise<T> {
  const connection = await engine.checkOut();
  const task = new EngineTask(connection, TIME_LIMIT);
  const end = epoch.begin();
  const run = async (): Promise<T> => {
    await task.call((own) => own.begin());
    const result = await work(task);
    await task.call((own) => own.commit());
    return result;
  };
  try {
    return await run();
  } finally {
    // The client of one that was stopped is answered; the connection is closed when the engine lets go.
    const release = task.settled().then(() => {
      end();
      engine.checkIn(connection, false);
    });
    if (!task.stopReason) await release;
  }
}

async function make(
  task: EngineTask,
  query: Screened,
  { view, orReplace, secureViews }: SecureViewMaking,
  { engine, plans }: SecureViewMaker,
): Promise<SecureViewOutcome> {
  const catalog = await seen(task, engine, secureViews);
  const there = catalog.snapshot.tables.get(tableKey(view));
  if (there?.kind === 'table') throw new Impossible(`${nameOf(view)} is a table`);
  if (there && !orReplace) return { outcome: 'exists' };
  secureViewBases(await namesIn(task, query.text), view, catalog);
  const create = `CREATE ${orReplace ? 'OR REPLACE ' : ''}VIEW ${inFull(view)} AS ${query.text}`;
  await task.call((connection) => connection.run(create)).catch((error: unknown) => refuse(task, error));
  const made = await readBack(task, engine, { view, secureViews });
  const secured = await seen(task, engine, [...secureViews.filter((one) => tableKey(one) !== tableKey(view)), made]);
  const found = secured.snapshot.tables.get(tableKey(made));
  if (!found || !isAsMade(found, secured)) {
    throw new SecureViewFault('a secure view cannot be read back from the catalog as it was made: write it otherwise');
  }
  try {
    await plans.of(task, [found], secured, { digest: '', epoch: null });
  } catch (error) {
    if (error instanceof CannotGovern)
      throw new SecureViewFault(`a secure view cannot be made of this: ${error.message}`);
    throw error;
  }
  return { outcome: 'made', view: made };
}

/** What the catalog has under the name now. */
async function readBack(
  task: EngineTask,
  engine: Engine,
  { view, secureViews }: Pick<SecureViewMaking, 'view' | 'secureViews'>,
): Promise<SecureView> {
  const catalog = await seen(task, engine, secureViews);
  const found = catalog.snapshot.tables.get(tableKey(view));
  if (!found?.query || !found.body)
    throw new SecureViewFault('the body of a secure view cannot be told from the catalog');
  const rows = await task.call((connection) =>
    connection.rows(`SELECT column_name FROM duckdb_columns() WHERE database_name = ${quoteLiteral(found.catalog)}
      AND schema_name = ${quoteLiteral(found.schema)} AND table_name = ${quoteLiteral(found.name)} ORDER BY column_index`),
  );
  const columns = rows.map((row) => String(row.column_name));
  const { catalog: inCatalog, schema, name } = found;
  const bases = secureViewBases(found.body, view, catalog);
  return { catalog: inCatalog, schema, name, body: render(found.query.tokens), columns, bases };
}

/** The catalog as this transaction sees it, with these secure views. */
async function seen(task: EngineTask, engine: Engine, views: readonly SecureView[]): Promise<SessionCatalog> {
  const snapshot = await task.call(readCatalog);
  const secured = new Map(views.map((view) => [tableKey(view), view]));
  return { snapshot, path: [engine.opened], ...engine.known, admitted: new Set(), secured, withheld: null };
}

async function namesIn(task: EngineTask, text: string) {
  const tree = await task.call((connection: NodeConnection) => connection.parse(text));
  const read = tree === null ? null : READERS.tree(tree);
  if (read && 'names' in read) return read.names;
  throw new Impossible(read?.error.message.split('\n')[0] ?? 'the query is too large');
}

function refuse(task: EngineTask, error: unknown): never {
  if (task.stopReason) throw task.stopReason;
  const known = runError(error);
  throw known.reason === 'internal' ? new DomainError('internal') : new Impossible(known.message);
}

function inFull({ catalog, schema, name }: SecureViewMaking['view']): string {
  return [catalog, schema, name].map(quoteIdentifier).join('.');
}

function nameOf({ catalog, schema, name }: SecureViewMaking['view']): string {
  return `${catalog}.${schema}.${name}`;
}
