import { Silence } from './silence';

test('a node that is silent for ten looks in a row is found; one that says something meanwhile is not', () => {
  const silence = new Silence();
  const found = Array.from({ length: 12 }, (_, i) => silence.look(['stuck', 'slow'], new Set(i === 5 ? ['slow'] : [])));
  expect(found.slice(0, 9).flat()).toEqual([]);
  expect(found[9]).toEqual(['stuck']);
  expect(found.flat()).not.toContain('slow');
});

test('a node that is gone is forgotten', () => {
  const silence = new Silence();
  for (let i = 0; i < 9; i++) silence.look(['n'], new Set());
  silence.look([], new Set());
  expect(silence.look(['n'], new Set())).toEqual([]);
});
