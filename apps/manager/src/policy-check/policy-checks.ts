import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PolicyParser } from '@gadwall/engine';
import { DomainError, type PolicyBinding, type PolicyBindingOutcome, type TableTuple } from '@gadwall/rbac';
import { boundText, PolicyFault, type PolicyKind, readExpression } from '@gadwall/rewriters';
import { PolicyBindings } from './policy-bindings';

/** The alias of the table that an expression is tried on. */
const RELATION = 'policy_table';
/** Whoever it is tried for: what binds does not hang on that. */
const SAMPLE = { user: 'user', tenant: 'tenant', roles: ['role'], groups: ['group'], claims: {}, attrs: {} };

/** A policy whose expression was looked at. */
export interface CheckedPolicy<C extends string | null> {
  /** null for a denial. */
  canonical: C;
  /**
   * Refuses one that does not fit the table. Called when it is known that the actor may read all of it: what it tells is
   * what the table has.
   *
   * @throws DomainError `invalid_policy`
   */
  readonly requireFit: () => void;
}

/** What a policy has to pass before it is made. Source: seed 000, "Predicate validation". */
@Injectable()
export class PolicyChecks implements OnApplicationShutdown {
  /** Opened at its first use. */
  private parser: Promise<PolicyParser> | null = null;

  constructor(private readonly bindings: PolicyBindings) {}

  /**
   * Checks a mask or a denial of a column, before the lock: asking a node takes longer than all that is under it.
   *
   * @param text null for a denial
   * @throws DomainError `invalid_policy` naming the rule that is broken
   */
  async column(
    tenant: string,
    place: TableTuple & { column: string },
    text: string | null,
  ): Promise<CheckedPolicy<string | null>> {
    const kind = { kind: 'mask', column: place.column } as const;
    const read = text === null ? null : await this.read(text, kind);
    return { canonical: read?.canonical ?? null, requireFit: await this.fit(tenant, place, kind, read) };
  }

  /** Likewise a predicate. @throws DomainError `invalid_policy` */
  async rows(tenant: string, place: TableTuple, text: string): Promise<CheckedPolicy<string>> {
    const kind = { kind: 'predicate' } as const;
    const read = await this.read(text, kind);
    return { canonical: read.canonical, requireFit: await this.fit(tenant, place, kind, read) };
  }

  private async read(text: string, kind: PolicyKind) {
    const parser = await this.opened();
    try {
      return await readExpression(text, kind, parser);
    } catch (error) {
      if (error instanceof PolicyFault) throw new DomainError('invalid_policy', { detail: error.message });
      throw error;
    }
  }

  /** A tuple with a wildcard is of tables that are not there yet too. */
  private async fit(
    tenant: string,
    { catalog, schema, table: name }: TableTuple,
    kind: PolicyKind,
    read: { canonical: string; columns: string[] } | null,
  ): Promise<() => void> {
    if ([catalog, schema, name].includes('*')) return () => undefined;
    const masked = kind.kind === 'mask' ? kind.column : null;
    const policy: PolicyBinding = {
      table: { catalog, schema, name },
      masked,
      expression: read && (await boundText(read.canonical, SAMPLE, RELATION, await this.opened())),
      relation: RELATION,
      columns: [...(masked === null ? [] : [masked]), ...(read?.columns ?? [])],
    };
    const detail = fault(await this.bindings.outcome(tenant, policy));
    return () => {
      if (detail !== null) throw new DomainError('invalid_policy', { detail });
    };
  }

  private opened(): Promise<PolicyParser> {
    this.parser ??= PolicyParser.open();
    return this.parser;
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.parser)?.close();
  }
}

function fault(answer: PolicyBindingOutcome): string | null {
  switch (answer.outcome) {
    case 'bound':
    case 'no-table':
      return null;
    case 'view':
      return 'this is a view: policies are on the tables under it, and hold through it';
    case 'no-column':
      return `the table has no column ${answer.column}`;
    case 'not-boolean':
      return 'a predicate is true or false: this one has another type';
    case 'unbound':
      return 'the expression does not fit the columns of the table: look at their types';
  }
}
