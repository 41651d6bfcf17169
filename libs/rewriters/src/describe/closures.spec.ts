import { CatalogTable, tableKey } from '../catalog';
import { closureOf } from './closures';

const path = [{ catalog: 'lake', schema: 'main' }];

function object(name: string, kind: 'table' | 'view', over: string[] = []): CatalogTable {
  const tables = over.map((under) => ({ catalog: '', schema: '', name: under, alias: false }));
  const body = { tables, functions: [], types: [], queries: [], queryTables: [], unsupported: [], timeTravel: false };
  return {
    ...{ catalog: 'lake', schema: 'main', name, kind, temporary: false, internal: false, calls: [] },
    body: kind === 'view' ? body : null,
    query: null,
  };
}

/** The closure of the last of these. */
function closure(objects: CatalogTable[]) {
  const tables = new Map(objects.map((one) => [tableKey(one), one]));
  const last = objects[objects.length - 1] as CatalogTable;
  const known = {
    declared: new Set<string>(),
    readOnly: new Set<string>(),
    admitted: new Set<string>(),
    secured: new Map(),
    withheld: null,
    stubs: new Map(),
  };
  return closureOf(last, { ...known, path, snapshot: { tables, macros: new Map(), types: [] } });
}

/** `t`, and views that each stand on the one before, `times` times. */
function tower(height: number, times: number): CatalogTable[] {
  const views = Array.from({ length: height }, (_, i) =>
    object(`v${i + 1}`, 'view', Array<string>(times).fill(i === 0 ? 't' : `v${i}`)),
  );
  return [object('t', 'table'), ...views];
}

test('views may stand on views 16 deep, and no deeper', () => {
  expect(closure(tower(16, 1)).findings).toEqual([]);
  expect([...closure(tower(16, 1)).bases.values()].map(({ name }) => name)).toEqual(['t']);
  expect(closure(tower(17, 1)).findings.map(({ message }) => message)).toEqual(['views are nested over 16 deep']);
});

test('a view that is reached by two roads counts by the longer one', () => {
  const objects = tower(16, 1);
  objects.push(object('w', 'view', ['v1', 'v16']));
  expect(closure(objects).findings.map(({ message }) => message)).toEqual(['views are nested over 16 deep']);
});

test('however often a view names another, it is looked at a few times', () => {
  const start = performance.now();
  for (let i = 0; i < 10; i++) expect(closure(tower(16, 40)).bases.size).toBe(1);
  expect(performance.now() - start).toBeLessThan(2_000);
});
