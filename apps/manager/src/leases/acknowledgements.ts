import { Injectable } from '@nestjs/common';
import type { StreamHead } from '@gadwall/events';

export interface AcknowledgementListener {
  acknowledged(nodeId: string, heads: readonly StreamHead[]): void;
  /** The process of the node has ended. */
  ended(nodeId: string): void;
}

/** What nodes last said that they have applied, for the barriers that wait for it. */
@Injectable()
export class Acknowledgements {
  private readonly latest = new Map<string, readonly StreamHead[]>();
  private readonly listeners = new Set<AcknowledgementListener>();

  of(nodeId: string): readonly StreamHead[] {
    return this.latest.get(nodeId) ?? [];
  }

  add(nodeId: string, heads: readonly StreamHead[]): void {
    this.latest.set(nodeId, heads);
    for (const listener of this.listeners) listener.acknowledged(nodeId, heads);
  }

  end(nodeId: string): void {
    this.latest.delete(nodeId);
    for (const listener of this.listeners) listener.ended(nodeId);
  }

  listen(listener: AcknowledgementListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
