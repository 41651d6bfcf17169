import { memoryCeiling, MemoryGuard } from '.';

test('a node may take what its engine may, a quarter more, and something beside', () => {
  expect(memoryCeiling('2GB')).toBe(2.5e9 + 512 * 2 ** 20);
  expect(memoryCeiling('1.5 GiB')).toBe(1.875 * 2 ** 30 + 512 * 2 ** 20);
});

describe('invariant 16: a node over the ceiling of its memory', () => {
  let done: string[];
  let resident: number;
  let guard: MemoryGuard;
  const pass = (ms: number) => jest.advanceTimersByTime(ms);

  beforeEach(() => {
    jest.useFakeTimers();
    done = [];
    resident = 100;
    const measures = { stop: () => void done.push('stop'), end: () => void done.push('end') };
    guard = new MemoryGuard(100, measures, () => resident);
  });
  afterEach(() => {
    guard.stop();
    jest.useRealTimers();
  });

  test('at the ceiling nothing is done', () => {
    pass(10_000);
    expect(done).toEqual([]);
  });

  test('over it, statements are stopped at once and once', () => {
    resident = 101;
    pass(20);
    expect(done).toEqual(['stop']);
    pass(1_000);
    expect(done).toEqual(['stop']);
  });

  test('it lives on when that has helped, and stops what comes over it again', () => {
    resident = 101;
    pass(1_400);
    resident = 10;
    pass(1_000);
    resident = 101;
    pass(1_400);
    expect(done).toEqual(['stop', 'stop']);
  });

  test('it ends when that has not helped within a second and a half', () => {
    resident = 101;
    pass(1_400);
    expect(done).toEqual(['stop']);
    pass(100);
    expect(done).toEqual(['stop', 'end']);
    pass(10_000);
    expect(done).toEqual(['stop', 'end']);
  });

  test('it ends at the next look when memory grows to one and a half times the ceiling meanwhile', () => {
    resident = 150;
    pass(40);
    expect(done).toEqual(['stop']);
    resident = 151;
    pass(20);
    expect(done).toEqual(['stop', 'end']);
  });
});
