import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../apps/manager/src/config';
import { nodeConfig } from '../../apps/node/src/config';

const ROOT = join(__dirname, '../..');

/** One row of a table of the page. */
interface Row {
  name: string;
  default: string;
  range: string;
}

const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');

function rowsOf(section: string): Row[] {
  const text = page.split('\n## ').find((part) => part.startsWith(`${section}\n`)) ?? '';
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, name = '', fallback = '', , range = ''] = line.split('|').map((cell) => cell.trim());
      return { name: name.replaceAll('`', ''), default: fallback, range };
    });
}

/** Variables that the sources read: by the names of ours, and by how they are read. */
function variablesIn(folder: string): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue;
    const source = readFileSync(join(ROOT, folder, file), 'utf8');
    for (const [, name = ''] of source.matchAll(/\b(?:env|environment)(?:\.|, '|\[')([A-Z][A-Z0-9_]+)/g))
      names.add(name);
    for (const [name] of source.matchAll(/\b(?:GADWALL_[A-Z0-9_]+|DATABASE_URL)\b/g)) names.add(name);
  }
  return names;
}

/** What every program finds set, and Gadwall only passes on. */
const OF_THE_SYSTEM = ['PATH'];

const manager = rowsOf('Manager');
const node = rowsOf('Node');

test.each([
  ['apps/manager/src/config', manager],
  ['apps/node/src/config', node],
])('every variable that %s reads is in the table of its program', (folder, rows) => {
  const documented = rows.map(({ name }) => name);
  expect([...variablesIn(folder)].filter((name) => !documented.includes(name))).toEqual([]);
  expect(documented.length).toBeGreaterThan(5);
});

test.each(['apps/manager/src', 'apps/node/src', 'apps/cli/src', 'libs'])(
  '%s reads no variable that the page does not name',
  (folder) => {
    const unknown = [...variablesIn(folder)].filter(
      (name) => !page.includes(`\`${name}\``) && !OF_THE_SYSTEM.includes(name),
    );
    expect(unknown).toEqual([]);
  },
);

test('the page names no variable that nothing reads', () => {
  const read = new Set(['apps', 'libs'].flatMap((folder) => [...variablesIn(folder)]));
  const named = [...page.matchAll(/`(GADWALL_[A-Z0-9_]+|DATABASE_URL)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !read.has(name))).toEqual([]);
});

const NODE_ENVIRONMENT = { GADWALL_MANAGER_URL: 'http://127.0.0.1:1', GADWALL_JOIN_TOKEN: 'token' };
const readers: [string, Row[], (env: Record<string, string>) => unknown][] = [
  ['manager', manager, readConfig],
  ['node', node, (env) => nodeConfig({ ...NODE_ENVIRONMENT, ...env })],
];
const cases = readers.flatMap(([program, rows, read]) => rows.map((row) => ({ program, ...row, read })));

test.each(cases.filter((row) => /^`[^`]*`$/.test(row.default)))(
  '$program: $name is $default by default',
  ({ name, default: text, read }) => {
    expect(read({ [name]: text.replaceAll('`', '') })).toEqual(read({}));
  },
);

test.each(cases.filter((row) => /^\d+ to \d+$/.test(row.range) && row.name.startsWith('GADWALL_')))(
  '$program: $name goes from $range',
  ({ name, range, read }) => {
    const [least = 0, most = 0] = range.split(' to ').map(Number);
    for (const value of [least, most]) expect(() => read({ [name]: String(value) })).not.toThrow();
    for (const value of [least - 1, most + 1]) expect(() => read({ [name]: String(value) })).toThrow(name);
  },
);
