import { randomBytes } from 'node:crypto';
import { AccessDenied, DomainError, EffectiveSet, listedFor, TableRestrictions, restrictedTables } from '@gadwall/rbac';
import {
  ANSWERED_LISTINGS,
  CannotGovern,
  fold,
  GovernedTarget,
  governTarget,
  isListingFunction,
  listingRelation,
  Marks,
  type MaskedColumn,
  PlanTemplate,
  Proof,
  ProtectedTable,
  quoteLiteral,
  readPlaces,
  render,
  resolveTable,
  Screened,
  tableKey,
  template,
  withTexts,
  Verified,
  writeTarget,
} from '@gadwall/rewriters';
import { LRUCache } from 'lru-cache';
import { JsonReader } from '../duckdb';
import { Described } from './describer';
import { EngineTask } from './engine-task';
import { PolicyTexts } from './policy-texts';
import { replacedReads } from './replaced-reads';
import { SecureViewPlans } from './secure-view-plans';

/** What runs in the place of a statement that policies change. */
export interface Governed {
  text: string;
  /** Each row of its answer says that one row was written which the policy admits: they are counted, not shown. */
  checks: boolean;
  /** Columns are masked in it; rows are filtered. */
  masks: boolean;
  filters: boolean;
  /** Of its marks; what is shown of it never holds it. */
  nonce: string;
  /** What the engine raises for a row that the policy does not admit. */
  raised: string;
  /** The tables whose policies are in force in it, for its messages. */
  tables: readonly string[];
}

/** A protected table with what its proof is held against. */
interface Known {
  table: ProtectedTable;
  template: PlanTemplate;
  restrictions: TableRestrictions;
}

/** What the texts of one principal are made with. */
export interface Reader {
  set: EffectiveSet;
  digest: string;
  /** Of the catalog; null: what is read now is good for this statement alone. */
  epoch: number | null;
  /** The session may have settings that it was not opened with. */
  ownSettings: boolean;
}

/** Tables of principals whose texts are kept. */
const MAX_KNOWN = 2_000;
/** Principals whose listings are kept. */
const MAX_LISTED = 500;

/** Step 5 of the pipeline (DESIGN section 6): rewrite, describe again, prove. */
export class Governor {
  private readonly texts = new PolicyTexts();
  private readonly known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  /** By set digest: the engine's own listings do not change. */
  private readonly answered = new LRUCache<string, Set<string>>({ max: MAX_LISTED });

  constructor(
    private readonly json: JsonReader,
    private readonly secureViews: SecureViewPlans,
  ) {}

  /**
   * The text that runs in the place of a statement; null when no policy changes it.
   *
   * @throws AccessDenied when it cannot be governed, or the proof fails
   */
  async govern(
    task: EngineTask,
    screened: Screened,
    described: Described,
    principal: Reader,
  ): Promise<Governed | null> {
    const restricted = withoutNew(restrictedTables(principal.set, described.description), described);
    const lists = principal.set.tenant !== null && described.description.functions.some(isListingFunction);
    if (restricted.length === 0 && !lists && described.secured.length === 0) return null;
    const tables = new Map<string, Known>();
    for (const restrictions of restricted) {
      tables.set(tableKey(restrictions), await this.knownOf(task, restrictions, principal));
    }
    try {
      requireOwnTime(tables, principal);
      return await this.governed(task, screened, described, tables, principal);
    } catch (error) {
      if (error instanceof CannotGovern) throw refused(restricted, described, error.message);
      throw error;
    }
  }

  private async governed(
    task: EngineTask,
    screened: Screened,
    described: Described,
    tables: ReadonlyMap<string, Known>,
    principal: Reader,
  ): Promise<Governed> {
    for (const barrier of [false, true]) {
      const nonce = randomBytes(12).toString('base64url');
      const written = await this.textOf(task, screened, described, tables, principal, new Marks(nonce), barrier);
      const templates = new Map([...tables].map(([key, one]) => [key, one.template]));
      const { secured, catalog } = described;
      const proof: Proof = {
        nonce,
        tables: templates,
        listings: await this.listings(task, described, principal),
        sealed: await this.secureViews.of(task, secured, catalog, principal),
      };
      const read = await this.json.read('governed', await task.call((c) => c.plan(written.text)), proof);
      if ('error' in read) throw new CannotGovern('it does not bind with its policies in it');
      if (read.verified.violation !== null) throw new CannotGovern(read.verified.violation);
      requireSameAccesses(read.verified, described);
      // A scan that names no table proves nothing; what stands in a common table expression that nobody uses is not read.
      const judged = new Set(described.plans.flatMap(({ accesses }) => accesses.map(tableKey)));
      if ([...tables.keys()].some((key) => judged.has(key) && !read.verified.tables.has(key))) {
        throw new CannotGovern('its plan does not name the table');
      }
      if (!read.verified.leaks) {
        const text = screened.shape === 'explain' ? explained(screened, read.shown) : written.text;
        const known = [...tables.values()].map(({ table }) => table);
        return {
          text,
          masks: known.some(({ masks }) => masks.length > 0),
          filters: known.some(({ filters }) => filters !== null),
          checks: written.checks && text === written.text,
          nonce,
          raised: new Marks(nonce).write,
          tables: known.map(({ catalog, schema, name }) => `${catalog}.${schema}.${name}`),
        };
      }
    }
    throw new CannotGovern('an error of it could tell of rows that are hidden');
  }

  /** The governed text itself; what is asked of hidden rows is told by its plan. */
  private async textOf(
    task: EngineTask,
    screened: Screened,
    { names, catalog, inner }: Described,
    tables: ReadonlyMap<string, Known>,
    principal: Reader,
    marks: Marks,
    barrier: boolean,
  ): Promise<{ text: string; checks: boolean }> {
    const statement = screened.shape === 'explain' && screened.inner ? screened.inner : screened;
    const { tokens } = statement;
    const places = readPlaces(statement, names);
    const byKey = new Map([...tables].map(([key, { table }]) => [key, table]));
    const replaced = await replacedReads(task, tokens, places, {
      catalog,
      tables: byKey,
      marks,
      barrier,
      listed: listedFor(principal.set),
      inner,
    });
    const target = await this.targetOf(task, statement, catalog, tables, principal);
    if (target) governTarget(tokens, target, { marks, barrier }, replaced);
    const checks = target !== null && target.filters !== null && target.target.verb !== 'delete';
    return { text: render(withTexts(tokens, replaced)), checks };
  }

  private async targetOf(
    task: EngineTask,
    { tokens, objects, shape }: Screened,
    catalog: Described['catalog'],
    tables: ReadonlyMap<string, Known>,
    { set, digest }: Reader,
  ): Promise<GovernedTarget | null> {
    const target = shape === 'plain' ? writeTarget(tokens, objects) : null;
    const found = target && resolveTable(target.parts, catalog.path, catalog.snapshot);
    const known = found && tables.get(tableKey(found));
    if (!target || !known) return null;
    const { filters } = known.restrictions;
    const qualified = filters && (await this.texts.of(task, filters, set, digest, target.alias));
    return { target, table: known.table, filters: qualified };
  }

  /** The plans of the listings as they are narrowed for a principal; none for a statement that reads none. */
  private async listings(task: EngineTask, { description }: Described, principal: Reader): Promise<Set<string>> {
    if (!description.functions.some(isListingFunction)) return new Set();
    const found = this.answered.get(principal.digest);
    if (found) return found;
    const plans = new Set<string>();
    for (const name of ANSWERED_LISTINGS) {
      const nonce = randomBytes(12).toString('base64url');
      const text = `SELECT * FROM ${listingRelation(name, listedFor(principal.set), new Marks(nonce))} AS listing`;
      const read = await this.json.read('listing', await task.call((connection) => connection.plan(text)), nonce);
      if (!('listing' in read)) throw new CannotGovern('it does not bind');
      plans.add(read.listing);
    }
    this.answered.set(principal.digest, plans);
    return plans;
  }

  /** A protected table as the engine has it now. */
  private async knownOf(task: EngineTask, restrictions: TableRestrictions, principal: Reader): Promise<Known> {
    const key = `${principal.digest}\0${principal.epoch}\0${tableKey(restrictions)}`;
    const found = principal.epoch === null ? undefined : this.known.get(key);
    if (found) return found;
    const known = await this.read(task, restrictions, principal).catch((error: unknown) => {
      if (error instanceof DomainError || task.stopReason) throw error;
      // What the engine says of it would show the policy.
      throw broken(restrictions, restrictions.filters ? 'row-policy' : 'column-policy', 'one of them cannot be read');
    });
    if (principal.epoch !== null) this.known.set(key, known);
    return known;
  }

  private async read(task: EngineTask, restrictions: TableRestrictions, { set, digest }: Reader): Promise<Known> {
    const { catalog, schema, name, filters } = restrictions;
    const types = restrictions.masks.size + restrictions.denied.size > 0 ? await columnTypes(task, restrictions) : [];
    const masks: MaskedColumn[] = [];
    for (const { column, type } of types) {
      const mask = restrictions.masks.get(fold(column));
      if (restrictions.denied.has(fold(column))) masks.push({ column, type, sql: null });
      else if (mask && mask.expression === null) masks.push({ column, type, sql: null });
      else if (mask && mask.expression !== null) {
        const [sql = null] = await this.texts.of(task, [mask.expression], set, digest, null);
        masks.push({ column, type, sql });
      }
    }
    const missing = restrictions.named.filter((column) => !types.some((one) => fold(one.column) === column));
    if (missing.length > 0) throw broken(restrictions, 'column-policy', `it has no column ${missing.join(', ')}`);
    const bound = filters && (await this.texts.of(task, filters, set, digest, null));
    const table: ProtectedTable = { catalog, schema, name, masks, filters: bound };
    const template = await this.templateOf(task, table, restrictions);
    if (template.derived.length === 0) return { table, template, restrictions };
    // Whatever is computed from a masked column would show its value.
    const derived = types.filter(({ column }) => template.derived.includes(column));
    const whole = { ...table, masks: [...masks, ...derived.map((one) => ({ ...one, sql: null }))] };
    return { table: whole, template: await this.templateOf(task, whole, restrictions), restrictions };
  }

  private async templateOf(
    task: EngineTask,
    table: ProtectedTable,
    restrictions: TableRestrictions,
  ): Promise<PlanTemplate> {
    const nonce = randomBytes(12).toString('base64url');
    const hidden = table.masks.map(({ column }) => column);
    const text = await task.call((connection) => connection.plan(template(table, new Marks(nonce))));
    const read = await this.json.read('template', text, { nonce, hidden, filtered: table.filters !== null });
    if ('template' in read) return read.template;
    throw broken(restrictions, table.filters ? 'row-policy' : 'column-policy', 'one of them does not bind');
  }
}

/** Without a table that is made: nothing of it is there yet. One that is there would go with its hidden rows. */
function withoutNew(restricted: TableRestrictions[], described: Described): TableRestrictions[] {
  const { description, catalog } = described;
  const made = new Set(description.objects.filter(({ access }) => access === 'create').map(tableKey));
  const own = restricted.filter((one) => made.has(tableKey(one)));
  const replaced = own.filter((one) =>
    resolveTable([one.catalog, one.schema, one.name], catalog.path, catalog.snapshot),
  );
  if (replaced.length > 0) throw refused(replaced, described, 'it would replace what is hidden');
  return restricted.filter((one) => !own.includes(one));
}

/** The answer of EXPLAIN, as the engine would give it of a plan of its own. */
function explained({ tokens, inner }: Screened, shown: string): string {
  const options = tokens.slice(0, tokens.length - (inner?.tokens.length ?? 0));
  if (options.some(({ value }) => value === 'analyze')) {
    throw new CannotGovern('EXPLAIN ANALYZE would show how many rows are hidden');
  }
  return `SELECT 'logical_plan' AS explain_key, ${quoteLiteral(shown)} AS explain_value`;
}

/** A session's time zone would decide what a policy admits. */
function requireOwnTime(tables: ReadonlyMap<string, Known>, { ownSettings }: Reader): void {
  if (ownSettings && [...tables.values()].some(({ template: { zoned } }) => zoned)) {
    throw new CannotGovern('one of them depends on the time zone, and the session has settings of its own');
  }
}

/** The columns of a table, with their types as the engine writes them. */
async function columnTypes(
  task: EngineTask,
  { catalog, schema, name }: TableRestrictions,
): Promise<{ column: string; type: string }[]> {
  const rows = await task.call((connection) =>
    connection.rows(`SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = ${quoteLiteral(catalog)}
      AND schema_name = ${quoteLiteral(schema)} AND table_name = ${quoteLiteral(name)}`),
  );
  return rows.map((row) => ({ column: String(row.column_name), type: String(row.data_type) }));
}

/** What runs touches what was judged, and nothing else. */
function requireSameAccesses({ tables, functions }: Verified, { plans }: Described): void {
  const judged = new Set(plans.flatMap(({ accesses }) => accesses.map(tableKey)));
  const calls = plans.flatMap((plan) => plan.functions).filter(({ position }) => position === 'table');
  const called = new Set(calls.map(({ name }) => name));
  const added = [...tables].some((key) => !judged.has(key)) || [...functions].some((name) => !called.has(name));
  if (added) throw new CannotGovern('what runs would not be what was judged');
}

function refused(restricted: readonly TableRestrictions[], { secured }: Described, reason: string): AccessDenied {
  if (restricted.length === 0 && secured.length > 0) {
    return denied('secure-view', `a secure view is read where it cannot be put into the statement: ${reason}`);
  }
  if (restricted.length === 0) return denied('listing', `the listing in this statement is not answered: ${reason}`);
  const names = restricted.map(({ catalog, schema, name }) => `${catalog}.${schema}.${name}`).join(', ');
  const rule = restricted.some(({ filters }) => filters !== null) ? 'row-policy' : 'column-policy';
  return denied(rule, `the policies on ${names} cannot be put into this statement: ${reason}`);
}

function broken(
  { catalog, schema, name }: TableRestrictions,
  rule: 'row-policy' | 'column-policy',
  why: string,
): AccessDenied {
  return denied(rule, `nothing of ${catalog}.${schema}.${name} is shown: of its policies ${why}`);
}

function denied(rule: 'row-policy' | 'column-policy' | 'listing' | 'secure-view', message: string): AccessDenied {
  return new AccessDenied({ rule, message, objects: [], hint: null });
}
