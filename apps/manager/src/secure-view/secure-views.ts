import { Injectable } from '@nestjs/common';
import {
  DomainError,
  foldName,
  madeSecureView,
  type SecureView,
  secureViewHash,
  type SecureViewMaking,
  type SecureViewOutcome,
} from '@gadwall/rbac';
import { Gate, type PoolBinding } from '../effective-set';
import { NodeFleet, type NodeLink, NodeQuestions } from '../nodes';
import { SecureViewQuery } from './secure-view.query';

/** ms that a node may take to make or drop a view. */
const LIMIT_MS = 15_000;

/** Has nodes make and drop the views themselves: what they stand for is read from the catalog that they are in. */
@Injectable()
export class SecureViews {
  constructor(
    private readonly gate: Gate,
    private readonly fleet: NodeFleet,
    private readonly questions: NodeQuestions,
    private readonly views: SecureViewQuery,
  ) {}

  /**
   * Makes a view on a node that runs, before it is known as a secure one: one that stays behind is read with its reader's
   * rights.
   *
   * @throws AccessDenied with the rule that its query breaks; DomainError `invalid_secure_view`, `pool_unavailable`
   */
  async make(tenant: string, making: Omit<SecureViewMaking, 'secureViews'>): Promise<SecureView> {
    const { link, binding } = await this.nodeOf(tenant, making.view.catalog);
    const secureViews = (await this.views.views(tenant)).map(
      ({ catalog, schema, name, body, columns, bases }): SecureView => ({
        catalog,
        schema,
        name,
        body,
        columns,
        bases,
      }),
    );
    const work: SecureViewMaking = { ...making, secureViews };
    const question = { path: '/internal/secure-view/make', hash: secureViewHash(work), body: { making: work } };
    const answer = await this.questions.ask(link, binding, { ...question, limitMs: LIMIT_MS });
    if (answer === null) throw new DomainError('pool_unavailable');
    return madeSecureView(answer as SecureViewOutcome, making.view);
  }

  /** Drops what a node has of a view that is none any more; where none runs it stays, as a view like any other. */
  async drop(tenant: string, { catalog, schema, name, body, columns, bases }: SecureView): Promise<void> {
    const found = await this.nodeOf(tenant, catalog).catch(() => null);
    if (!found) return;
    const work = { view: { catalog, schema, name, body, columns, bases } };
    const question = { path: '/internal/secure-view/drop', hash: secureViewHash(work), body: { dropping: work } };
    await this.questions.ask(found.link, found.binding, { ...question, limitMs: LIMIT_MS });
  }

  /** A node that has the catalog as the tenant's own. */
  private async nodeOf(tenant: string, catalog: string): Promise<{ link: NodeLink; binding: PoolBinding }> {
    const bindings = await this.gate.bindings(tenant);
    const own = bindings.filter(({ defaultDatabase }) => foldName(defaultDatabase) === foldName(catalog));
    for (const binding of own) {
      const link = this.fleet.runningLink(binding);
      if (link) return { link, binding };
    }
    if (own.length > 0) throw new DomainError('pool_unavailable');
    throw new DomainError('invalid_secure_view', {
      detail: `no pool of the tenant is on a database with the catalog ${catalog}`,
    });
  }
}
