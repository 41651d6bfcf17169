import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { policyFiles } from '../../../../test/support/policy-files';
import { readSuite, readWaits, selected } from '.';

const FIXTURE = `tenant: acme
pool: bi
databases:
  lake: { kind: own, sql: "CREATE TABLE t(a INT)" }
  other: { kind: sibling, tenant: globex, sql: "SELECT 1" }
superusers: [root]
manifest:
  roles:
    - name: reader
      permissions: [{ catalog: lake, schema: main, table: t, verb: RO }]
  groups:
    - { name: all, roles: [reader] }
  users:
    - { username: ana, roles: [reader], groups: [all], poolGrants: [{ pool: bi }] }
twins:
  governed: { lake: "CREATE TABLE t(a INT)" }
`;

const CASES = `fixture: ./fixture.yaml
cases:
  - id: A-1
    name: ana reads
    as: ana
    sql: SELECT a FROM t
    expect: { rows: [] }
    tags: [grants]
  - name: the others too
    as: [ana, root]
    sql: SELECT a FROM t
    expect: { same-as: governed }
    tags: [rows]
`;

/** The faults of a folder, without its path. */
function faultsOf(files: Record<string, string>): string[] {
  const { folder, remove } = policyFiles(files);
  const suite = readSuite(folder, null);
  remove();
  return 'faults' in suite ? suite.faults.map(({ message }) => message.replaceAll(`${folder}/`, '')) : [];
}

/** A file with one text in the place of another, which has to be in it. */
function put(text: string, was: string, is: string): string {
  if (!text.includes(was)) throw new Error(`not in the file: ${was}`);
  return text.replace(was, is);
}

test('a folder gives the cases of all its files', () => {
  const { folder, remove } = policyFiles({
    'fixture.yaml': FIXTURE,
    'deep/b.yml': put(CASES, './', '../'),
    'no.txt': '!',
  });
  const suite = readSuite(folder, null);
  remove();
  const cases = 'cases' in suite ? suite.cases : [];
  expect(cases.map(({ id, name, line, runs }) => ({ id, name, line, as: runs.map(([step]) => step) }))).toMatchObject([
    { id: 'A-1', name: 'ana reads', line: 3, as: [{ as: ['ana'], sql: 'SELECT a FROM t' }] },
    { id: null, name: 'the others too', line: 9, as: [{ as: ['ana'] }, { as: ['root'] }] },
  ]);
  expect(selected(cases, { filter: 'READS', tags: null })).toHaveLength(1);
  expect(selected(cases, { filter: 'b.yml', tags: ['rows', 'grants'] })).toHaveLength(2);
  expect(selected(cases, { filter: null, tags: ['views'] })).toHaveLength(0);
});

test.each([
  ['name: the others', 'nam: the others', '9:5: unknown key "nam" in a case (did you mean "name"?)'],
  ['expect: { rows: [] }', 'expect: { row: [] }', '7:15: unknown key "row" in expect (did you mean "rows"?)'],
  ['expect: { rows: [] }', 'expect: {}', '7:13: expect says no outcome'],
  ['expect: { rows: [] }', 'expect: { allowed: false }', '7:24: `allowed: false` says nothing'],
  ['expect: { rows: [] }', 'expect: { rows: [1] }', '7:22: a row must be a list, and is a number'],
  ['expect: { rows: [] }', 'expect: { anyOf: [{ refused: true }] }', '7:22: anyOf needs two expectations'],
  ['expect: { rows: [] }', 'expect: { count: 1.5 }', '7:22: count must be a whole number from 0 on'],
  ['expect: { rows: [] }', 'expect: { denied: 403 }', '7:23: denied must be a text, and is a number: put it in quotes'],
  ['expect: { rows: [] }', 'expect: { refused: true, ordered: true }', '7:39: `ordered` is of rows'],
  ['expect: { rows: [] }', 'steps: []', '5:9: a case with steps has no "as" of its own'],
  ['    expect: { rows: [] }\n', '', '3:5: a statement lacks "expect"'],
  ['as: ana', 'as: anna', '5:9: the fixture has no user "anna" (did you mean "ana"?)'],
  ['as: [ana, root]', 'as: []', '10:9: `as` names nobody'],
  ['same-as: governed', 'same-as: govern', '12:24: the fixture has no twin "govern" (did you mean "governed"?)'],
  ['tags: [grants]', 'tags: [grant]', '8:12: unknown tag "grant" (did you mean "grants"?)'],
  ['name: the others too', 'id: A-1\n    name: the others too', '9:1: the id A-1 is also at b.yaml:3'],
  ['    name: ana reads\n', '', '3:5: a case lacks "name"'],
  ['  - id', '  - [', '3:8: Implicit keys need to be on a single line'],
  ['  - name: the others', '---\n  - name: the others', '9:1: a second YAML document begins here'],
  ['name: ana reads', 'name: ana reads\n    name: again', '5:5: Map keys must be unique'],
  ['./fixture.yaml', './fixtures.yaml', '1:10: there is no fixture'],
])('a test file with %j as %j is told as %s', (was, is, message) => {
  expect(faultsOf({ 'fixture.yaml': FIXTURE, 'b.yaml': put(CASES, was, is) })).toEqual([
    expect.stringContaining(`b.yaml:${message}`),
  ]);
});

test.each([
  ['pool: bi\n', '', '1:1: a fixture lacks "pool"'],
  ['kind: own', 'kind: owned', '4:17: unknown kind "owned" (did you mean "own"?)'],
  ['kind: own', 'kind: federated', '4:3: no database is of kind own'],
  ['tenant: globex, ', '', '5:10: a database of kind sibling, and no other, names its tenant'],
  ['tenant: globex', 'tenant: acme', '5:35: a sibling belongs to another tenant'],
  ['CREATE TABLE t(a INT)', "SELECT 'x", '4:27: unterminated quote in this SQL'],
  ['verb: RO', 'verb: READ', '10:68: unknown verb "READ"'],
  ['roles: [reader] }', 'roles: [readers] }', '12:28: unknown role "readers"'],
  ['name: reader', 'name: gadwall_reader', '9:7: names that start with gadwall_'],
  ['{ pool: bi }', '{ pool: fast }', '14:69: unknown pool "fast": the fixture has the pool "bi"'],
  ['username: ana', 'username: root', '14:7: "root" is a superuser already'],
  ['username: ana,', 'username: ana, passwort: x,', '14:24: unknown key "passwort" in a user'],
  ['governed: { lake:', 'governed: { lak:', '16:15: the fixture has no database "lak" (did you mean "lake"?)'],
  ['superusers: [root]', 'secrets: [999]', '6:11: a secret must be a text, and is a number: put it in quotes'],
  ['superusers: [root]', 'settings: { aclMode: opa }', '6:22: unknown aclMode "opa"'],
])('a fixture with %j as %j is told as %s', (was, is, message) => {
  expect(faultsOf({ 'fixture.yaml': put(FIXTURE, was, is) })).toEqual([
    expect.stringContaining(`fixture.yaml:${message}`),
  ]);
});

test('a fixture may stand in the test file, or be named by its whole path, and folders may be links', () => {
  const inline = put(CASES, 'fixture: ./fixture.yaml', `fixture:\n${FIXTURE.replace(/^(?=.)/gm, '  ')}`);
  const { folder, remove } = policyFiles({ 'tests/inline.yaml': inline, 'fixture.yml': FIXTURE });
  const whole = put(put(CASES, './fixture.yaml', join(folder, 'fixture.yml')), 'A-1', 'A-2');
  const other = policyFiles({ 'whole.yaml': whole });
  symlinkSync(other.folder, join(folder, 'tests/linked'));
  symlinkSync(folder, join(folder, 'tests/round'));
  const suite = readSuite(folder, null);
  remove();
  other.remove();
  expect('cases' in suite ? suite.cases.length : suite.faults).toBe(4);
});

test('faults of several files are told at once, that of a fixture once', () => {
  const faults = faultsOf({
    'fixture.yaml': put(FIXTURE, 'verb: RO', 'verb: R'),
    'a.yaml': CASES,
    'b.yaml': put(CASES, 'cases:', 'case:'),
  });
  expect(faults.map((fault) => fault.slice(0, 14))).toEqual(['fixture.yaml:1', 'b.yaml:2:1: un']);
});

test('a file of waits gives reasons by ids, and is no test file though it lies among them', () => {
  const { folder, remove } = policyFiles({ 'fixture.yaml': FIXTURE, 'b.yaml': CASES, 'waits.yaml': 'A-1: not yet' });
  const file = join(folder, 'waits.yaml');
  const [waits, suite] = [readWaits(file), readSuite(folder, file)];
  remove();
  expect([...waits]).toEqual([['A-1', 'not yet']]);
  expect('cases' in suite && suite.cases).toHaveLength(2);
});
