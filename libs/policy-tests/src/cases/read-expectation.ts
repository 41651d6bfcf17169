import type { Cell, Place } from '../source';
import { suggestion } from '../source';
import type { Expectation } from './policy-case';

const KEYS = [
  'allowed',
  'rows',
  'ordered',
  'count',
  'affected',
  'columns',
  'types',
  'same-as',
  'denied',
  'error',
  'refused',
  'contained',
  'anyOf',
  'state',
] as const;

/** These alone say nothing of the answer. */
const NO_OUTCOME: readonly string[] = ['ordered', 'state'];

/** @param twins names of the fixture's twins */
export function readExpectation(place: Place, twins: readonly string[]): Expectation {
  const fields = place.fields('expect', KEYS);
  if (!Object.keys(fields).some((key) => !NO_OUTCOME.includes(key))) {
    throw place.fault('expect says no outcome; `contained: true` says that any will do that holds no secret');
  }
  const expectation: Expectation = {
    allowed: readTrue(fields.allowed, 'allowed'),
    rows: fields.rows ? readRows(fields.rows) : null,
    ordered: readTrue(fields.ordered, 'ordered'),
    count: fields.count?.whole('count') ?? null,
    affected: fields.affected?.whole('affected') ?? null,
    columns: fields.columns?.texts('columns', 'the name of a column') ?? null,
    types: fields.types?.texts('types', 'a type') ?? null,
    sameAs: fields['same-as'] ? readTwin(fields['same-as'], twins) : null,
    denied: fields.denied ? readDenied(fields.denied) : null,
    error: fields.error ? readError(fields.error) : null,
    refused: readTrue(fields.refused, 'refused'),
    contained: readTrue(fields.contained, 'contained'),
    anyOf: fields.anyOf ? readAnyOf(fields.anyOf, twins) : [],
    state: (fields.state?.items('state') ?? []).map(readState),
  };
  if (expectation.ordered && expectation.rows === null && expectation.sameAs === null) {
    throw (fields.ordered as Place).fault('`ordered` is of rows: it needs `rows` or `same-as` beside it');
  }
  return expectation;
}

function readTrue(place: Place | undefined, key: string): boolean {
  const value = place?.truth(key);
  if (value === false) throw (place as Place).fault(`\`${key}: false\` says nothing; leave it out`);
  return value ?? false;
}

function readRows(place: Place): Cell[][] {
  return place.items('rows').map((row) => row.items('a row').map((cell) => cell.cell()));
}

function readTwin(place: Place, twins: readonly string[]): string {
  const name = place.text('same-as');
  if (!twins.includes(name)) throw place.fault(`the fixture has no twin "${name}"${suggestion(name, twins)}`);
  return name;
}

function readDenied(place: Place): string[] {
  if (place.isList) {
    const texts = place.texts('denied', 'a reason');
    if (texts.length === 0) throw place.fault('an empty list asks for no reason; use `denied: true`');
    return texts;
  }
  if (place.kind !== 'a boolean') return [place.text('denied')];
  readTrue(place, 'denied');
  return [];
}

function readError(place: Place): string {
  if (place.kind !== 'a boolean') return place.text('error');
  readTrue(place, 'error');
  return '';
}

function readAnyOf(place: Place, twins: readonly string[]): Expectation[] {
  const items = place.items('anyOf');
  if (items.length < 2) throw place.fault('anyOf needs two expectations or more');
  return items.map((item) => readExpectation(item, twins));
}

function readState(place: Place): Expectation['state'][number] {
  const fields = place.fields('a question of state', ['sql', 'rows', 'ordered'], ['sql', 'rows']);
  return {
    sql: (fields.sql as Place).text('sql'),
    rows: readRows(fields.rows as Place),
    ordered: readTrue(fields.ordered, 'ordered'),
  };
}
