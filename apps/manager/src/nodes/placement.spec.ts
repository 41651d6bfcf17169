import { leastLoaded } from './placement';

const node = (name: string, active: number, chosenAt = 0) => ({ name, active, chosenAt });

test('a statement goes to the node with the fewest under way; of equals to the one left alone for longest', () => {
  expect(leastLoaded([node('a', 3), node('b', 1), node('c', 2)])?.name).toBe('b');
  expect(leastLoaded([node('a', 1, 7), node('b', 1, 5), node('c', 2, 1)])?.name).toBe('b');
});

test('a session goes to the node with the fewest sessions, however busy it is now', () => {
  const sessions = { a: 2, b: 1 } as Record<string, number>;
  expect(leastLoaded([node('a', 0), node('b', 9)], ({ name }) => sessions[name] ?? 0)?.name).toBe('b');
});

test('without nodes there is no place', () => {
  expect(leastLoaded([])).toBeUndefined();
});
