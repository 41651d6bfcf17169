import { randomUUID } from 'node:crypto';
import {
  canStart,
  ed25519Signer,
  ed25519Verifier,
  type Instant,
  isCurrent,
  learn,
  NO_LEASE,
  type NodeLease,
  type NodeTiming,
  renewed,
  seal,
  type Sign,
  type Signed,
  type SignedContent,
  SYSTEM_STREAM,
  unseal,
  type Verify,
} from '@gadwall/events';
import { DomainError, type Handle, newSigningKey } from '@gadwall/rbac';

/** Renewals that may be under way; the answer to an older one is worth nothing any more. */
const MAX_UNDER_WAY = 32;

/**
 * The lease of this node: what it knows of versions, and whether it may start statements now. The protocol itself is
 * functions in libs/events; this holds their state, the clocks and the keys.
 */
export class LeaseKeeper {
  /** SPKI, base64url: managers verify with it what this node says. */
  readonly publicKey: string;
  /** Statements refused because the lease had lapsed. */
  refused = 0;
  private lease: NodeLease = NO_LEASE;
  private timing: NodeTiming = { ttlMs: 0, driftMargin: 0 };
  private verify: Verify = () => false;
  private readonly sign: Sign;
  private readonly sent = new Map<string, Instant>();
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly nodeId: string,
    private readonly now: () => Instant = systemClocks,
  ) {
    const key = newSigningKey();
    this.publicKey = key.publicKey;
    this.sign = ed25519Signer(key.privateKey);
  }

  /** From now on messages signed with one of these keys count, and no others. */
  trust(managerKeys: readonly string[], timing: NodeTiming): void {
    this.verify = ed25519Verifier(managerKeys);
    this.timing = timing;
  }

  /** Calls `listener` each time versions were learned, once they are applied. */
  onLearned(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** A renewal to send now. */
  renewal(): Signed {
    const nonce = randomUUID();
    const [oldest] = this.sent.keys();
    if (this.sent.size >= MAX_UNDER_WAY && oldest !== undefined) this.sent.delete(oldest);
    this.sent.set(nonce, this.now());
    return seal('renewal', { nodeId: this.nodeId, nonce, known: [...this.lease.known.values()] }, this.sign);
  }

  /** The answer to a renewal; false when it is none that was waited for. */
  renewed(signed: unknown): boolean {
    const answer = unseal('renewal-answer', signed, this.verify);
    const sent = answer?.nodeId === this.nodeId ? this.sent.get(answer.nonce) : undefined;
    if (!answer || !sent) return false;
    this.sent.delete(answer.nonce);
    this.become(renewed(this.lease, answer, sent, this.now(), this.timing));
    return true;
  }

  /** A message of the bus; one that no manager signed is passed over. */
  heard(signed: unknown): void {
    const message = unseal('version', signed, this.verify);
    if (message) this.become(learn(this.lease, message));
  }

  acknowledgement(): Signed {
    return seal('acknowledgement', { nodeId: this.nodeId, heads: [...this.lease.known.values()] }, this.sign);
  }

  /** What this node asks for in its own name. */
  ask<K extends 'ready' | 'follow' | 'principals' | 'leave' | 'handle'>(kind: K, content: SignedContent[K]): Signed {
    return seal(kind, content, this.sign);
  }

  /** What a manager answered to a question about principals; null when none signed it, or it answers another question. */
  principals(signed: unknown, nonce: string): SignedContent['principals-answer'] | null {
    const answer = unseal('principals-answer', signed, this.verify);
    return answer?.nodeId === this.nodeId && answer.nonce === nonce ? answer : null;
  }

  /** Whether statements may start now. */
  get lasts(): boolean {
    return canStart(this.lease, this.now());
  }

  get versions(): Record<string, number> {
    return Object.fromEntries([...this.lease.known].map(([stream, { version }]) => [stream, version]));
  }

  /**
   * The check before a statement is submitted and when the engine has its snapshot (DESIGN section 5, rule 4).
   * @throws DomainError `authz_unavailable` when the lease has lapsed, `stale` for versions that were overtaken
   */
  assertCurrent({ tenant, timeline, versions }: Pick<Handle, 'tenant' | 'timeline' | 'versions'>): void {
    if (!this.lasts) {
      this.refused++;
      throw new DomainError('authz_unavailable');
    }
    if (!isCurrent(this.lease, timeline, { [SYSTEM_STREAM]: versions.system, [tenant]: versions.tenant })) {
      throw new DomainError('stale');
    }
  }

  private become(lease: NodeLease): void {
    const learned = lease.known !== this.lease.known;
    this.lease = lease;
    if (learned) for (const listener of this.listeners) listener();
  }
}

function systemClocks(): Instant {
  return { monotonic: performance.now(), wall: Date.now() };
}
