import { type Fixture, isPrincipal } from '../fixture';
import { type Place, suggestion } from '../source';
import { type PolicyCase, type Step, TAGS } from './policy-case';
import { readExpectation } from './read-expectation';

const CASE_KEYS = ['id', 'name', 'as', 'sql', 'expect', 'steps', 'tags', 'waits', 'reveals'] as const;
const STATEMENT_KEYS = ['as', 'sql', 'expect'] as const;

/**
 * The cases of a test file.
 *
 * @param fixtureOf gives the fixture that the file names or holds
 * @throws FileFault
 */
export function readTestFile(place: Place, fixtureOf: (place: Place) => Fixture): PolicyCase[] {
  const { fixture: named, cases } = place.fields('a test file', ['fixture', 'cases'], ['fixture', 'cases']);
  const fixture = fixtureOf(named as Place);
  return (cases as Place).items('cases').map((item) => readCase(item, fixture));
}

function readCase(place: Place, fixture: Fixture): PolicyCase {
  const fields = place.fields('a case', CASE_KEYS, ['name']);
  return {
    file: place.file,
    line: place.line,
    fixture,
    id: fields.id?.text('an id') ?? null,
    name: fields.name?.text('the name of a case') ?? '',
    tags: (fields.tags?.items('tags') ?? []).map((tag) => tag.word('tag', TAGS)),
    waits: fields.waits?.text('the reason for which it waits') ?? null,
    reveals: fields.reveals?.texts('reveals', 'a secret that it reveals') ?? [],
    runs: fields.steps ? [readSteps(fields.steps, fields, fixture)] : readStatementRuns(place, fields, fixture),
  };
}

type CaseFields = { [key in (typeof CASE_KEYS)[number]]?: Place };

function readSteps(steps: Place, fields: CaseFields, fixture: Fixture): Step[] {
  for (const key of STATEMENT_KEYS) {
    const own = fields[key];
    if (own) throw own.fault(`a case with steps has no "${key}" of its own`);
  }
  const items = steps.items('steps');
  if (items.length === 0) throw steps.fault('a case without a step tests nothing');
  return items.map((item) => readStep(item, fixture));
}

function readStep(place: Place, fixture: Fixture): Step {
  const { do: change, ...fields } = place.fields('a step', [...STATEMENT_KEYS, 'do'] as const);
  if (!change) return readStatement(place, fields, fixture);
  const [other] = Object.keys(fields);
  if (other) throw place.fault(`a step with "do" has no "${other}": a superuser does it`);
  return { kind: 'do', sql: change.text('do'), line: place.line };
}

function readStatementRuns(place: Place, fields: CaseFields, fixture: Fixture): Step[][] {
  const step = readStatement(place, fields, fixture);
  return step.as.map((username) => [{ ...step, as: [username] }]);
}

function readStatement(
  place: Place,
  { as, sql, expect }: CaseFields,
  fixture: Fixture,
): Extract<Step, { kind: 'statement' }> {
  if (!as || !sql || !expect) {
    const lacking = Object.entries({ as, sql, expect }).flatMap(([key, value]) => (value ? [] : [`"${key}"`]));
    throw place.fault(`a statement lacks ${lacking.join(' and ')}`);
  }
  return {
    kind: 'statement',
    as: readPrincipals(as, fixture),
    sql: sql.text('sql'),
    expect: readExpectation(expect, [...fixture.twins.keys()]),
    line: place.line,
  };
}

function readPrincipals(place: Place, fixture: Fixture): string[] {
  const places = place.isList ? place.items('as') : [place];
  if (places.length === 0) throw place.fault('`as` names nobody');
  return places.map((one) => {
    const username = one.text('a principal');
    if (isPrincipal(fixture, username)) return username;
    const known = [...fixture.world.superusers, ...fixture.world.users.keys()];
    throw one.fault(`the fixture has no user "${username}"${suggestion(username, known)}`);
  });
}
