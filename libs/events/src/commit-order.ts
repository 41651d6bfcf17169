/**
 * Keeps listeners in commit order. A mutation takes its place when it holds its streams' locks, that is, after the mutation
 * before it on any of them committed; but the answers to two COMMITs may arrive the other way round, being on two sockets.
 */
export class CommitOrder {
  private readonly last = new Map<string, Promise<void>>();

  /** Takes the next place in each stream; call it while holding their locks. */
  enter(streams: string[]): { before: Promise<unknown>; leave: () => void } {
    const before = Promise.all(streams.map((stream) => this.last.get(stream) ?? Promise.resolve()));
    let leave = () => {};
    const left = new Promise<void>((resolve) => (leave = resolve));
    // One that left early (it failed) must not let the next overtake those before it.
    const place = before.then(() => left);
    for (const stream of streams) this.last.set(stream, place);
    void place.then(() => {
      for (const stream of streams) if (this.last.get(stream) === place) this.last.delete(stream);
    });
    return { before, leave };
  }
}
