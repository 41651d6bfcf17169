import { randomBytes } from 'node:crypto';
import {
  behindStub,
  BoundPlans,
  CannotGovern,
  CatalogTable,
  Finding,
  notAsMade,
  onStubs,
  outOfReach,
  PlanAccesses,
  QueryNames,
  Screened,
  type Seals,
  SessionCatalog,
} from '@gadwall/rewriters';
import { JsonReader, planErrorMessage } from '../duckdb';
import { EngineTask } from './engine-task';
import { PlanScope, SecureViewPlans } from './secure-view-plans';

/** What the engine made of a statement. */
export interface Bound {
  plans: BoundPlans;
  error: string | null;
  finding?: Finding;
}

/** Of a statement that reads no secure view. */
const NO_SEALS: Seals = { nonce: '\0', sealed: new Set() };

/** Step 3 of the pipeline: has the engine bind a statement, and reads what its plans say. */
export class Binder {
  constructor(
    private readonly json: JsonReader,
    private readonly secureViews: SecureViewPlans,
  ) {}

  /** Plans of the statement and of what it holds. EXPLAIN has none: that of the statement it explains is judged. */
  async bind(
    task: EngineTask,
    screened: Screened,
    catalog: SessionCatalog,
    names?: QueryNames,
    seals: Seals = NO_SEALS,
  ): Promise<Bound> {
    const { shape, inner, text } = screened;
    if (seals.sealed.size > 0) return this.bindSealed(task, screened, catalog, names ?? null, seals);
    const query = shape === 'select' ? screened : shape === 'explain' && inner?.shape === 'select' ? inner : null;
    if (query && names && catalog.stubs.size > 0) return this.bindOnStubs(task, query, catalog, names);
    const texts = shape === 'explain' ? [inner?.text ?? ''] : shape === 'view' ? [text, inner?.text ?? ''] : [text];
    const plans: PlanAccesses[] = [];
    for (const one of texts) {
      const read = await this.plan(task, one, null);
      if (!('plan' in read)) return read;
      plans.push(read.plan);
    }
    return { plans, error: null };
  }

  /** With what the secure views of a statement are known again in its plan; or why they cannot be read. */
  async seals(
    task: EngineTask,
    views: readonly CatalogTable[],
    catalog: SessionCatalog,
    scope: PlanScope,
  ): Promise<Seals | { finding: Finding }> {
    const [first] = views;
    if (!first) return NO_SEALS;
    const nonce = randomBytes(12).toString('base64url');
    try {
      return { nonce, sealed: await this.secureViews.of(task, views, catalog, scope) };
    } catch (error) {
      if (error instanceof CannotGovern) return { finding: notAsMade(first) };
      throw error;
    }
  }

  /** What reads secure views is described with what these stand for in their places: the plan tells it as one thing then. */
  private async bindSealed(
    task: EngineTask,
    screened: Screened,
    catalog: SessionCatalog,
    names: QueryNames | null,
    seals: Seals,
  ): Promise<Bound> {
    const { shape, inner, text } = screened;
    const statement = (shape === 'explain' || shape === 'view') && inner ? inner : screened;
    try {
      const sealed = await this.secureViews.textOf(task, statement, names, catalog, seals);
      const plans: PlanAccesses[] = [];
      for (const one of shape === 'view' ? [text, sealed] : [sealed]) {
        const read = await this.plan(task, one, seals);
        if (!('plan' in read)) return read;
        plans.push(read.plan);
      }
      return { plans, error: null };
    } catch (error) {
      if (error instanceof CannotGovern) {
        return { plans: [], error: null, finding: outOfReach(`where it cannot be put in: ${error.message}`) };
      }
      throw error;
    }
  }

  /** A query is described where each federated catalog is one of empty tables, for the scans of its own tell no names. */
  private async bindOnStubs(
    task: EngineTask,
    query: Screened,
    catalog: SessionCatalog,
    names: QueryNames,
  ): Promise<Bound> {
    const text = onStubs(query.tokens, names, catalog);
    if (text === null) return { plans: [], error: null, finding: notDescribed('a federated table of this statement') };
    const read = await this.plan(task, text, null);
    if (!('plan' in read)) return { ...read, error: read.error && behindStubs(read.error, catalog) };
    const accesses = read.plan.accesses.map((access) => ({ ...access, catalog: behindStub(access.catalog, catalog) }));
    return { plans: [{ ...read.plan, accesses }], error: null };
  }

  private async plan(task: EngineTask, text: string, seals: Seals | null): Promise<{ plan: PlanAccesses } | Bound> {
    const read = await this.json.read('plan', await task.call((connection) => connection.plan(text)), seals);
    if ('plan' in read) return read;
    const error = planErrorMessage(read.error.type, read.error.message);
    return error === null
      ? { plans: [], error: null, finding: notDescribed('this statement', true) }
      : { plans: [], error };
  }
}

/** What the engine says of a stub is said of the catalog that it stands for. */
function behindStubs(error: string, { stubs }: SessionCatalog): string {
  return [...stubs].reduce((text, [name, stub]) => text.replaceAll(stub, name), error);
}

/** What was not understood is refused. */
export function notDescribed(what: string, bindsSuperusers = false): Finding {
  const message = `${what} could not be described, so it is refused`;
  return { rule: 'not-described', message, bindsSuperusers };
}
