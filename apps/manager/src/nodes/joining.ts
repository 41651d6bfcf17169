import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type JoinAnswer, openJoin } from '@gadwall/link';
import { DomainError, type NodeAssignment } from '@gadwall/rbac';

/** A node that registers: its process was started by this manager. */
export interface JoiningNode {
  /** The name of its process. */
  process: string;
  nodeId: string;
  /** Its signatures are verified with this; SPKI, base64url. */
  publicKey: string;
  /** The fingerprint of its certificate, when that is of its own making. */
  certificate: string | null;
  /** Signs handles for it. */
  handleKey: Buffer;
  /** What it is told, for its eyes only. */
  answer: (assignment: NodeAssignment) => JoinAnswer;
}

/** Join tokens that are out: each start of a node's process has one of its own, good for one registration (ADR 015). */
@Injectable()
export class Joining {
  /** By the name of the process. */
  private readonly tokens = new Map<string, string>();

  /** A token for a process that is about to start; an older one of that process is worth nothing from now on. */
  issue(process: string): string {
    const token = randomBytes(32).toString('base64url');
    this.tokens.set(process, token);
    return token;
  }

  /** The process has ended. */
  withdraw(process: string): void {
    this.tokens.delete(process);
  }

  /** @throws DomainError `join_refused` unless the sender knows a token that is out; that token is used up by it */
  open(request: unknown): JoiningNode {
    for (const [process, token] of this.tokens) {
      const join = openJoin(token, request);
      if (join === null) continue;
      this.tokens.delete(process);
      const { offer, handleKey, answer } = join;
      return { process, ...offer, handleKey, answer };
    }
    throw new DomainError('join_refused');
  }
}
