import * as fc from 'fast-check';

/**
 * What a random thing is made by: a list of numbers that is read from its start, with zeros behind its end. The first of
 * several possibilities is the simplest, so that what fast-check shrinks becomes simpler.
 */
export class Choices {
  private at = 0;

  constructor(private readonly numbers: readonly number[]) {}

  /** A whole number from 0 up to `count`, which is not one of them. */
  below(count: number): number {
    return (this.numbers[this.at++] ?? 0) % count;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** True so many times in a hundred; never behind the end. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  /** As many as `most`, each from the list, none twice. */
  some<T>(list: readonly T[], least: number, most: number): T[] {
    const left = [...list];
    const count = Math.min(least + this.below(most - least + 1), left.length);
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0] as T);
  }
}

/** Long enough for most statements. */
const NUMBERS = 250;

export const numbers = fc.noBias(fc.array(fc.integer({ min: 0, max: 65_535 }), { maxLength: NUMBERS, size: 'max' }));

/** Tries by which a failure is made simpler: each runs statements, and there may be many thousands of them. */
const MAX_TRIES = 300;

/** Runs a check as often as it is asked to; once it has failed, only so often. */
export class Shrinking {
  private left = Infinity;

  async run(check: () => Promise<void>): Promise<void> {
    if (this.left-- <= 0) return;
    try {
      await check();
    } catch (error) {
      this.left = Math.min(this.left, MAX_TRIES);
      throw error;
    }
  }
}
