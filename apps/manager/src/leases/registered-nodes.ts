import { Injectable } from '@nestjs/common';
import { ed25519Verifier, type SignedContent, unseal, type Verify } from '@gadwall/events';
import { DomainError } from '@gadwall/rbac';

interface RegisteredNode {
  verify: Verify;
  streams: readonly string[];
}

/** The nodes that registered with this manager: whose signature counts, and which streams each serves. */
@Injectable()
export class RegisteredNodes {
  private readonly nodes = new Map<string, RegisteredNode>();
  private heard = new Set<string>();

  /**
   * @param publicKey Ed25519, SPKI, base64url; the node made it at its boot
   * @throws DomainError `join_refused` for a name that is taken: nobody speaks for another node
   */
  add(nodeId: string, publicKey: string, streams: readonly string[]): void {
    if (this.nodes.has(nodeId)) throw new DomainError('join_refused');
    this.nodes.set(nodeId, { verify: ed25519Verifier([publicKey]), streams });
  }

  remove(nodeId: string): void {
    this.nodes.delete(nodeId);
  }

  /** Who has said something since this was asked last. */
  takeHeard(): ReadonlySet<string> {
    const { heard } = this;
    this.heard = new Set();
    return heard;
  }

  /**
   * What a registered node says.
   * @throws DomainError `node_unknown` unless a registered node signed it
   */
  open<K extends 'ready' | 'renewal' | 'acknowledgement' | 'follow' | 'principals' | 'leave' | 'handle'>(
    kind: K,
    signed: unknown,
  ): { content: SignedContent[K]; streams: readonly string[] } {
    const node = this.nodes.get(claimedNode(signed) ?? '');
    const content = node ? unseal(kind, signed, node.verify) : null;
    if (!node || !content) throw new DomainError('node_unknown');
    this.heard.add(content.nodeId);
    return { content, streams: node.streams };
  }
}

/** Who a message says it is of, before its signature was looked at. */
function claimedNode(signed: unknown): string | undefined {
  const { body } = (signed ?? {}) as { body?: unknown };
  try {
    return (JSON.parse(String(body)) as { content?: { nodeId?: string } }).content?.nodeId;
  } catch {
    return undefined;
  }
}
