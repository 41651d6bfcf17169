import { DomainError, EffectiveSet, Handle, openHandle, openSet, SignedSet } from '@gadwall/rbac';
import { LRUCache } from 'lru-cache';
import { LeaseKeeper } from '../lease';

/** EffectiveSets that a node keeps. */
const MAX_SETS = 10_000;

/** A handle that was let in, with the set that it names. */
export interface Admitted {
  handle: Handle;
  set: EffectiveSet;
  /** Throws when a version that the handle was minted at has been overtaken, or the node's lease has lapsed. */
  assertCurrent: () => void;
}

/**
 * Step 0 of the pipeline: the handle. Signature, node, expiry, statement; a nonce once only; a lease that lasts; versions at
 * least as new as the node knows of (else STALE); a set digest that the node holds. A handle newer than what the node knows
 * is let in and teaches nothing: versions are learned from renewals and the bus alone, which name their timeline.
 */
export class Admission {
  readonly nodeId: string;
  private managerKeys: readonly string[] = [];
  private readonly sets = new LRUCache<string, EffectiveSet>({ max: MAX_SETS });
  private readonly nonces = new LRUCache<string, true>({ max: 1_000_000, ttl: 120_000 });

  constructor(
    private readonly lease: LeaseKeeper,
    /** Fresh at each boot: a handle of an earlier life of the node, or of another node, is not taken. */
    readonly key: Buffer,
    private readonly now: () => number = Date.now,
  ) {
    this.nodeId = lease.nodeId;
  }

  /** From now on sets signed with one of these keys are taken, and no others. */
  trust(managerKeys: readonly string[]): void {
    this.managerKeys = managerKeys;
  }

  /**
   * @throws DomainError `handle_refused`, `authz_unavailable`, `stale`, `set_unknown`
   */
  admit(token: string, statement: string, signed?: SignedSet): Admitted {
    const handle = this.open(token, statement);
    const assertCurrent = () => this.lease.assertCurrent(handle);
    return { handle, set: this.setOf(handle, signed), assertCurrent };
  }

  /**
   * A handle for the same statement of the same principal, minted anew. Its set is not looked at: who goes on with it has
   * judged by the same digest.
   * @throws DomainError `handle_refused`, `authz_unavailable`, `stale`
   */
  admitAgain(token: string, before: Handle): Omit<Admitted, 'set'> {
    const handle = this.open(token, before.statement);
    const same = (['userId', 'tenant', 'poolId', 'session'] as const).every((field) => handle[field] === before[field]);
    if (!same) throw new DomainError('handle_refused', { reason: 'statement' });
    return { handle, assertCurrent: () => this.lease.assertCurrent(handle) };
  }

  /** Opening and closing a session needs no set. @throws DomainError `handle_refused`, `authz_unavailable`, `stale` */
  admitSession(token: string, statement: string): Handle {
    return this.open(token, statement);
  }

  private open(token: string, statement: string): Handle {
    const opened = openHandle(this.key, token, { nodeId: this.nodeId, statement }, this.now());
    if ('refused' in opened) throw new DomainError('handle_refused', { reason: opened.refused });
    const { handle } = opened;
    if (this.nonces.has(handle.nonce)) throw new DomainError('handle_refused', { reason: 'nonce' });
    this.nonces.set(handle.nonce, true);
    this.lease.assertCurrent(handle);
    return handle;
  }

  /** The set of a message that a manager signed; null when none did. */
  verified(signed: SignedSet): EffectiveSet | null {
    return openSet(this.managerKeys, signed)?.set ?? null;
  }

  /** A set is taken only if a manager signed it and the handle names the digest of its content. */
  private setOf(handle: Handle, signed: SignedSet | undefined): EffectiveSet {
    const held = this.sets.get(handle.setDigest);
    if (held) return held;
    const opened = signed ? openSet(this.managerKeys, signed) : null;
    if (!opened || opened.digest !== handle.setDigest) throw new DomainError('set_unknown');
    this.sets.set(opened.digest, opened.set);
    return opened.set;
  }
}
