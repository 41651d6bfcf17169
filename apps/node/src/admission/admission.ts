import { randomBytes } from 'node:crypto';
import { DomainError, EffectiveSet, Handle, openHandle, openSet, PolicyVersions, SignedSet } from '@gadwall/rbac';
import { LRUCache } from 'lru-cache';

/** EffectiveSets that a node keeps. */
const MAX_SETS = 10_000;

/** A handle that was let in, with the set that it names. */
export interface Admitted {
  handle: Handle;
  set: EffectiveSet;
  /** Throws when a version that the handle was minted at has been overtaken. */
  assertCurrent: () => void;
}

/**
 * Step 0 of the pipeline: the handle. Signature, node, expiry, statement; a nonce once only; versions at least as new as
 * the node knows of (else STALE); a set digest that the node holds.
 */
export class Admission {
  readonly nodeId: string;
  /** Fresh at each boot: a handle of an earlier life of the node, or of another node, is not taken. */
  readonly key = randomBytes(32);
  private managerKeys: readonly string[] = [];
  private readonly sets = new LRUCache<string, EffectiveSet>({ max: MAX_SETS });
  private readonly nonces = new LRUCache<string, true>({ max: 1_000_000, ttl: 120_000 });
  private readonly tenants = new Map<string, number>();
  private system = 0;

  constructor(
    nodeId: string,
    private readonly now: () => number = Date.now,
  ) {
    this.nodeId = nodeId;
  }

  /** From now on sets signed with one of these keys are taken, and no others. */
  trust(managerKeys: readonly string[]): void {
    this.managerKeys = managerKeys;
  }

  /**
   * @throws DomainError `handle_refused`, `stale`, `set_unknown`
   */
  admit(token: string, statement: string, signed?: SignedSet): Admitted {
    const handle = this.open(token, statement);
    const assertCurrent = () => this.assertCurrent(handle);
    return { handle, set: this.setOf(handle, signed), assertCurrent };
  }

  /** Opening and closing a session needs no set. @throws DomainError `handle_refused`, `stale` */
  admitSession(token: string, statement: string): Handle {
    return this.open(token, statement);
  }

  private open(token: string, statement: string): Handle {
    const opened = openHandle(this.key, token, { nodeId: this.nodeId, statement }, this.now());
    if ('refused' in opened) throw new DomainError('handle_refused', { reason: opened.refused });
    const { handle } = opened;
    if (this.nonces.has(handle.nonce)) throw new DomainError('handle_refused', { reason: 'nonce' });
    this.nonces.set(handle.nonce, true);
    this.learn(handle.tenant, handle.versions);
    this.assertCurrent(handle);
    return handle;
  }

  /** A known version only rises. */
  private learn(tenant: string, versions: PolicyVersions): void {
    this.system = Math.max(this.system, versions.system);
    this.tenants.set(tenant, Math.max(this.tenants.get(tenant) ?? 0, versions.tenant));
  }

  private assertCurrent({ tenant, versions }: Handle): void {
    if (versions.system < this.system || versions.tenant < (this.tenants.get(tenant) ?? 0)) {
      throw new DomainError('stale');
    }
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
