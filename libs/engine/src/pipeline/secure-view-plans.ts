import { randomBytes } from 'node:crypto';
import {
  CannotGovern,
  CatalogTable,
  leadsToSecured,
  Marks,
  PlanAccesses,
  QueryNames,
  readPlaces,
  render,
  resolveTable,
  Screened,
  sealedRelation,
  type Seals,
  SessionCatalog,
  tableKey,
  tablesUnder,
  withTexts,
} from '@gadwall/rewriters';
import { LRUCache } from 'lru-cache';
import { JsonReader } from '../duckdb';
import { EngineTask } from './engine-task';
import { replacedReads, withColumnNames } from './replaced-reads';

/** Plans that are kept. */
const MAX_PLANS = 2_000;

/** What plans are of: the set that says what secure views stand for, and the catalog; `epoch` null: not to be kept. */
export interface PlanScope {
  digest: string;
  epoch: number | null;
}

/** The secure views of a statement, each planned by itself: what a plan that reads them is held against. */
export class SecureViewPlans {
  /** By set digest, epoch and name. */
  private readonly known = new LRUCache<string, string>({ max: MAX_PLANS });

  constructor(private readonly json: JsonReader) {}

  /** @throws CannotGovern when one of them does not bind to what it was made over */
  async of(
    task: EngineTask,
    views: readonly CatalogTable[],
    catalog: SessionCatalog,
    scope: PlanScope,
  ): Promise<Set<string>> {
    const plans = new Set<string>();
    for (const view of views) plans.add(await this.planOf(task, view, catalog, scope));
    return plans;
  }

  private async planOf(
    task: EngineTask,
    view: CatalogTable,
    catalog: SessionCatalog,
    { digest, epoch }: PlanScope,
  ): Promise<string> {
    const key = epoch === null ? null : `${digest}\0${epoch}\0${tableKey(view)}`;
    const found = key === null ? undefined : this.known.get(key);
    if (found !== undefined) return found;
    const plan = await this.read(task, view, catalog);
    if (key !== null) this.known.set(key, plan);
    return plan;
  }

  private async read(task: EngineTask, view: CatalogTable, catalog: SessionCatalog): Promise<string> {
    const secured = catalog.secured.get(tableKey(view));
    if (!secured) throw new CannotGovern('it is no secure view');
    const nonce = randomBytes(12).toString('base64url');
    const reading = {
      catalog,
      tables: new Map(),
      marks: new Marks(nonce),
      barrier: false,
      listed: null,
      inner: NO_TEXTS,
    };
    const text = await withColumnNames(task, (names) => sealedRelation(view, secured, { ...reading, names }));
    const plan = await task.call((connection) => connection.plan(`SELECT * FROM ${text} AS secured`));
    const read = await this.json.read('sealed', plan, nonce);
    if (!('sealed' in read) || !staysUnder(read.plan, tablesUnder(view, catalog))) {
      throw new CannotGovern('what it reads has changed since it was made');
    }
    return read.sealed;
  }

  /**
   * The text of a statement with what secure views stand for in their places.
   *
   * @param names of its syntax tree; null where there is none
   * @throws CannotGovern
   */
  async textOf(
    task: EngineTask,
    statement: Screened,
    names: QueryNames | null,
    catalog: SessionCatalog,
    { nonce }: Seals,
  ): Promise<string> {
    const places = readPlaces(statement, names);
    const leads = (parts: readonly string[]): boolean => {
      const found = resolveTable(parts, catalog.path, catalog.snapshot);
      return found !== null && leadsToSecured(found, catalog);
    };
    const placed = places.filter(({ call, parts }) => !call && leads(parts)).length;
    const named = statement.shape === 'select' && names ? names.tables.map(partsOf).filter(leads).length : placed;
    if (placed < named) throw new CannotGovern('its place is not found');
    const reading = {
      catalog,
      tables: new Map(),
      marks: new Marks(nonce),
      barrier: false,
      listed: null,
      inner: NO_TEXTS,
    };
    const replaced = await replacedReads(task, statement.tokens, places, reading);
    return render(withTexts(statement.tokens, replaced));
  }
}

/** A secure view in `query('…')` is not read: it is told by its own place alone. */
const NO_TEXTS = new Map<string, never>();

function partsOf({ catalog, schema, name }: { catalog: string; schema: string; name: string }): string[] {
  return [catalog, schema, name].filter((part) => part !== '');
}

/** It reads these tables, and does nothing else that a description would tell. */
function staysUnder(
  { accesses, functions, settings, undescribed }: PlanAccesses,
  tables: ReadonlySet<string>,
): boolean {
  return (
    undescribed.length === 0 &&
    settings.length === 0 &&
    functions.every(({ foreign }) => !foreign) &&
    accesses.every((access) => access.kind === 'table' && access.access === 'read' && tables.has(tableKey(access)))
  );
}
