import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  DomainError,
  mintHandle,
  type NodeSessionAnswer,
  type NodeStatement,
  SESSION_STATEMENT,
  signSet,
  statementHash,
} from '@gadwall/rbac';
import { isRepeatable } from '@gadwall/rewriters';
import { isAdministration } from '@gadwall/sqladmin';
import type { Dispatcher } from 'undici';
import type { Authenticated } from '../auth';
import { type Admission, Gate, type PoolBinding } from '../effective-set';
import { NodeLeases } from '../leases';
import { NodeFleet, type NodeLink } from '../nodes';
import { SqlAdministration } from '../sql-admin';
import { administrationStream } from './administration-stream';
import { type SqlSession, SqlSessions } from './sql-sessions';
import type { StatementCall, StatementStream } from './statement-call';
import { type NodeError, NodeRefusal } from './statement-outcome';

/** What a handle is minted from. */
type Minted = Admission & { timeline: string };

const DEFAULT_TIMEOUT_MS = 300_000;
const DEFAULT_CONCURRENT = 32;
const DEFAULT_IDLE_SEC = 1800;
const SESSION_ABSOLUTE_SEC = 8 * 3600;
/** How long a statement is tried anew when the policy keeps moving under it, ms. */
const RETRY_LIMIT_MS = 10_000;
/** How long a statement waits for a version that the client has heard of, and between two looks, ms. */
const FRESH_LIMIT_MS = 1000;
const FRESH_PAUSE_MS = 50;

/**
 * Gate 1, the handle, and the way to the node: what every SQL door of the manager does for a statement. The verdict is
 * the node's; a manager that is behind is told so (STALE) and asks again with what is current.
 */
@Injectable()
export class StatementGateway {
  constructor(
    private readonly gate: Gate,
    private readonly fleet: NodeFleet,
    private readonly sessions: SqlSessions,
    private readonly leases: NodeLeases,
    private readonly administration: SqlAdministration,
  ) {}

  /** @throws DomainError gate 1's refusals, and those of the administration; NodeRefusal the node's own answer */
  async run(call: StatementCall): Promise<StatementStream> {
    return isAdministration(call.sql) ? this.administer(call) : this.query(call);
  }

  /** No node sees such a statement, and a transaction that its session has open is no part of it. */
  private async administer(call: StatementCall): Promise<StatementStream> {
    const { principal, requestId, tenant, sql, queryId } = call;
    const start = performance.now();
    const { binding } = await this.freshEnough(call);
    this.sessionOf(call, binding);
    if (call.parameters.length > 0) {
      throw new DomainError('invalid_parameters', { detail: 'a statement that administers takes no parameters' });
    }
    const answer = await this.administration.run({ principal, requestId }, tenant, sql);
    return administrationStream(answer, {
      queryId,
      format: call.format,
      maxRows: limitsOf(call, binding).maxRows,
      start,
    });
  }

  private async query(call: StatementCall): Promise<StatementStream> {
    const until = performance.now() + RETRY_LIMIT_MS;
    let lost: NodeLink | undefined;
    for (let wait = 1; ; wait = Math.min(wait * 2, 100)) {
      const admission = await this.freshEnough(call);
      const link = await this.linkFor(call, admission.binding, lost);
      const answer = await this.send(call, admission, link).catch((error: unknown) => {
        if (lost || !mayRunAgain(call, error)) throw error;
        return 'lost' as const;
      });
      switch (answer) {
        case 'stale':
          await this.gate.refresh(call.tenant);
          if (performance.now() > until) throw new DomainError('authz_unavailable');
          await delay(wait);
          break;
        case 'draining':
          link.draining = true;
          if (performance.now() > until) throw new DomainError('pool_unavailable');
          break;
        case 'lost':
          lost = link;
          break;
        default:
          return answer;
      }
    }
  }

  async openSession(
    principal: Authenticated,
    tenant: string,
    pool: string,
  ): Promise<{ session: string; idleTimeoutSec: number; expiresAt: Date }> {
    const until = performance.now() + RETRY_LIMIT_MS;
    for (;;) {
      const admission = await this.admit(principal, tenant, pool);
      const link = await this.fleet.link(admission.binding, { sessions: ({ nodeId }) => this.sessions.on(nodeId) });
      const idleTimeoutSec = admission.binding.idleTimeoutSec ?? DEFAULT_IDLE_SEC;
      const answer = await this.post(link, '/internal/session', {
        handle: this.handle(principal, admission, link, null, SESSION_STATEMENT),
        idleTimeoutSec,
        absoluteTimeoutSec: SESSION_ABSOLUTE_SEC,
      });
      if (answer.statusCode === 201) {
        const { session } = (await answer.body.json()) as NodeSessionAnswer;
        return this.opened(session, principal, admission.binding, link, idleTimeoutSec);
      }
      const refused = await refusalOf(answer);
      if (refused.body.error === 'draining') link.draining = true;
      else if (refused.body.error === 'stale') await this.gate.refresh(tenant);
      else throw refused;
      if (performance.now() > until) throw new DomainError('pool_unavailable');
    }
  }

  private opened(
    session: string,
    principal: Authenticated,
    { tenant, pool }: PoolBinding,
    { nodeId }: NodeLink,
    idleTimeoutSec: number,
  ): { session: string; idleTimeoutSec: number; expiresAt: Date } {
    const expiresAt = new Date(Date.now() + SESSION_ABSOLUTE_SEC * 1000);
    const owner = ownerOf(principal);
    this.sessions.add(session, { principal: owner, tenant, pool, nodeId, idleMs: idleTimeoutSec * 1000, expiresAt });
    return { session, idleTimeoutSec, expiresAt };
  }

  async closeSession(principal: Authenticated, id: string): Promise<void> {
    const session = this.sessions.of(id, ownerOf(principal));
    this.sessions.remove(id);
    const link = this.fleet.linkOf(session.nodeId);
    const binding = await this.gate.binding(session.tenant, session.pool);
    if (!link || !binding) return;
    const { timeline } = this.leases;
    const versions = await this.gate.versions(session.tenant);
    const handle = mintHandle(
      link.key,
      {
        ...this.subject(principal, binding, link),
        setDigest: '',
        versions,
        timeline,
        session: id,
        statement: SESSION_STATEMENT,
      },
      Date.now(),
    );
    const answer = await this.post(link, `/internal/session/${encodeURIComponent(id)}/close`, { handle });
    await answer.body.dump();
  }

  /** A session stays with its node: when that is gone, so is the session. */
  private async linkFor(call: StatementCall, binding: PoolBinding, avoid: NodeLink | undefined): Promise<NodeLink> {
    const session = this.sessionOf(call, binding);
    if (session === null) return this.fleet.link(binding, { avoid });
    const link = this.fleet.linkOf(session.nodeId);
    if (!link || link.lost) throw new DomainError('session_lost');
    return link;
  }

  /** @throws DomainError `not_found` for a session that is not the caller's, or not of the tenant and pool */
  private sessionOf({ session: id, principal, tenant }: StatementCall, { pool }: PoolBinding): SqlSession | null {
    if (id === null) return null;
    const session = this.sessions.of(id, ownerOf(principal));
    if (session.tenant !== tenant || session.pool !== pool) throw new DomainError('not_found');
    return session;
  }

  /** @throws DomainError `authz_unavailable` when the versions asked for do not come in time */
  private async freshEnough(call: StatementCall): Promise<Minted> {
    const until = performance.now() + FRESH_LIMIT_MS;
    for (;;) {
      const admission = await this.admit(call.principal, call.tenant, call.pool);
      const { atLeast } = call;
      const { tenant, system } = admission.versions;
      if (atLeast === null || (tenant >= atLeast.tenant && system >= atLeast.system)) return admission;
      if (performance.now() > until) throw new DomainError('authz_unavailable');
      await this.gate.refresh(call.tenant);
      await delay(FRESH_PAUSE_MS);
    }
  }

  /** The timeline is read before the versions: one that has just ended is refused by the node, and asked for again. */
  private async admit(principal: Authenticated, tenant: string, pool: string): Promise<Minted> {
    const { timeline } = this.leases;
    return { ...(await this.gate.admit(principal, tenant, pool)), timeline };
  }

  private async send(
    call: StatementCall,
    admission: Minted,
    link: NodeLink,
  ): Promise<StatementStream | 'stale' | 'draining'> {
    const { sql, parameters, format, queryId } = call;
    const { digest } = admission;
    const statement: NodeStatement = {
      handle: '',
      queryId,
      sql,
      parameters,
      format,
      limits: limitsOf(call, admission.binding),
    };
    const leave = link.enter(admission.binding.poolId);
    try {
      for (const withSet of link.holds(digest) ? [false, true] : [true]) {
        const handle = this.handle(call.principal, admission, link, call.session, statementHash(sql, parameters));
        const set = withSet ? { set: signSet(this.leases.signingKey, admission.set) } : {};
        const answer = await this.post(link, '/internal/statement', { ...statement, handle, ...set }, call.signal);
        if (answer.statusCode === 200) {
          link.sent(digest);
          answer.body.once('close', leave);
          return streamOf(answer);
        }
        const refused = await refusalOf(answer);
        if (refused.body.error === 'stale' || refused.body.error === 'draining') {
          leave();
          return refused.body.error;
        }
        if (refused.body.error !== 'set_unknown') {
          link.sent(digest);
          throw refused;
        }
      }
      throw new DomainError('authz_unavailable');
    } catch (error) {
      leave();
      throw error;
    }
  }

  private subject(principal: Authenticated, binding: PoolBinding, link: NodeLink) {
    return { userId: ownerOf(principal), nodeId: link.nodeId, tenant: binding.tenant, poolId: binding.poolId };
  }

  private handle(
    principal: Authenticated,
    { binding, digest, versions, timeline }: Minted,
    link: NodeLink,
    session: string | null,
    statement: string,
  ): string {
    const content = {
      ...this.subject(principal, binding, link),
      setDigest: digest,
      versions,
      timeline,
      session,
      statement,
    };
    return mintHandle(link.key, content, Date.now());
  }

  private async post(
    link: NodeLink,
    path: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    try {
      return await link.post(path, body, signal);
    } catch {
      if (signal?.aborted) throw new DomainError('cancelled');
      throw new DomainError('node_lost');
    }
  }
}

/** Whom a session belongs to; the static key is nobody's account. */
function ownerOf(principal: Authenticated): string {
  return principal.userId ?? 'api-key';
}

/** A node died with a statement of which nothing has gone out: a query outside of sessions may go to another, once. */
function mayRunAgain({ session, sql, parameters }: StatementCall, error: unknown): boolean {
  const lost = error instanceof DomainError && error.reason === 'node_lost';
  return lost && session === null && isRepeatable(sql, parameters);
}

function limitsOf({ maxRows }: StatementCall, binding: PoolBinding): NodeStatement['limits'] {
  const rows = [maxRows, binding.maxRows].filter((limit): limit is number => limit !== null);
  return {
    statementTimeoutMs: binding.statementTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxRows: rows.length > 0 ? Math.min(...rows) : null,
    maxConcurrent: binding.maxConcurrentPerNode ?? DEFAULT_CONCURRENT,
  };
}

function streamOf(answer: Dispatcher.ResponseData): StatementStream {
  const header = (name: string) => String(answer.headers[name] ?? '');
  return {
    contentType: header('content-type'),
    effective: true,
    policyVersion: header('gadwall-policy-version'),
    body: answer.body,
    isTruncated: () => answer.trailers['gadwall-truncated'] === 'true',
  };
}

async function refusalOf(answer: Dispatcher.ResponseData): Promise<NodeRefusal> {
  return new NodeRefusal(answer.statusCode, (await answer.body.json()) as NodeError);
}

export const newQueryId = (): string => `q_${randomUUID()}`;
