import type { CaseResult } from '../run';
import { junitReport } from './junit';

const result = (name: string, failed: boolean, waits: string | null = null): CaseResult =>
  ({
    case: { file: 'a & b.yaml', line: 3, id: 'A', name },
    failure: failed
      ? { line: 3, as: 'ana', sql: 'SELECT "<\u0001>"', outcome: null, expected: '1 row', seen: '2 rows\nof it' }
      : null,
    waits,
    ms: 1500,
  }) as unknown as CaseResult;

test('results are written as JUnit XML, with what XML cannot hold in the place of a character that it can', () => {
  const results = [result('holds', false), result('fails <', true), result('waits', true, 'no "masks"')];
  expect(junitReport(results)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="gadwall test" tests="3" failures="1" skipped="1" time="4.500"><testsuite name="a &amp; b.yaml" tests="3" failures="1" skipped="1" time="4.500"><testcase name="A holds" classname="a &amp; b.yaml" file="a &amp; b.yaml" line="3" time="1.500"/>
<testcase name="A fails &lt;" classname="a &amp; b.yaml" file="a &amp; b.yaml" line="3" time="1.500"><failure message="expected 1 row; seen 2 rows&#10;of it">FAIL A fails &lt; (a &amp; b.yaml:3): expected 1 row; seen 2 rows&#10;of it&#10;  ana: SELECT &quot;&lt;\ufffd&gt;&quot;&#10;</failure></testcase>
<testcase name="A waits" classname="a &amp; b.yaml" file="a &amp; b.yaml" line="3" time="1.500"><skipped message="no &quot;masks&quot;"/></testcase></testsuite></testsuites>
`);
});

test('a case that waits and holds is a failure', () => {
  expect(junitReport([result('holds', false, 'no masks')])).toContain(
    '<failure message="it holds, and waits no longer">',
  );
});
