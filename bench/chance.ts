/** A whole number from 0 to below `n`. */
export type Pick = (n: number) => number;

/** Numbers that look like chance and are the same for the same seed (mulberry32). */
export function seeded(seed: number): Pick {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** Chooses by weight. */
export class Wheel<T extends string> {
  private readonly sections: [T, number][];
  private readonly total: number;

  constructor(weights: Readonly<Record<T, number>>) {
    this.sections = Object.entries(weights) as [T, number][];
    this.total = this.sections.reduce((sum, [, weight]) => sum + weight, 0);
  }

  spin(pick: Pick): T {
    let rest = pick(this.total);
    for (const [name, weight] of this.sections) {
      rest -= weight;
      if (rest < 0) return name;
    }
    throw new Error('a wheel without sections');
  }
}

/** Things of which any may be drawn. */
export class Bag<T> {
  readonly items: T[] = [];

  any(pick: Pick): T | undefined {
    return this.items.length === 0 ? undefined : this.items[pick(this.items.length)];
  }

  remove(item: T): void {
    this.items.splice(this.items.indexOf(item), 1);
  }

  /** Takes out any that is still there, and those on the way that are not. */
  draw(pick: Pick, isThere: (item: T) => boolean = () => true): T | undefined {
    while (this.items.length > 0) {
      const at = pick(this.items.length);
      const item = this.items[at] as T;
      const last = this.items.pop() as T;
      if (at < this.items.length) this.items[at] = last;
      if (isThere(item)) return item;
    }
    return undefined;
  }
}
