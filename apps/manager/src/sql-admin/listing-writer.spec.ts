import { tableFromIPC } from 'apache-arrow';
import { type Listing } from '@gadwall/sqladmin';
import { writeListing } from './listing-writer';

const frame = {
  queryId: 'q_1',
  kind: 'SHOW',
  policyVersion: { tenant: 3, system: 1 },
  truncated: false,
  elapsedMs: 1.5,
};
const listing: Listing = {
  columns: [
    { name: 'name', type: 'VARCHAR' },
    { name: 'enabled', type: 'BOOLEAN' },
  ],
  rows: [
    ['a,b', true],
    ['say "hi"\r\n', false],
    ['', null],
    [null, null],
  ],
};
const empty: Listing = { ...listing, rows: [] };

const text = async (format: 'json' | 'csv', of: Listing) =>
  Buffer.from((await writeListing(format, of, frame)).bytes).toString();

test('JSON is that of the SQL door', async () => {
  expect(JSON.parse(await text('json', listing))).toEqual({
    queryId: 'q_1',
    kind: 'SHOW',
    columns: listing.columns,
    rows: listing.rows,
    rowCount: 4,
    affected: null,
    truncated: false,
    policyVersion: { tenant: 3, system: 1 },
    elapsedMs: 1.5,
  });
});

test('CSV tells NULL from an empty text, and quotes where it must', async () => {
  expect(await text('csv', listing)).toBe('name,enabled\r\n"a,b",true\r\n"say ""hi""\r\n",false\r\n"",\r\n,\r\n');
  expect(await text('csv', empty)).toBe('name,enabled\r\n');
});

test('Arrow has the types of the columns, with rows and without', async () => {
  const read = async (of: Listing) => tableFromIPC((await writeListing('arrow', of, frame)).bytes);
  const table = await read(listing);
  expect(table.toArray().map((row) => Object.values(row as object))).toEqual(listing.rows);
  for (const one of [table, await read(empty)]) {
    expect(one.schema.fields.map(({ name, type }) => [name, String(type)])).toEqual([
      ['name', 'Utf8'],
      ['enabled', 'Bool'],
    ]);
  }
});
