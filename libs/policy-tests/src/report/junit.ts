import { titleOf } from '../cases';
import { type CaseResult, verdictOf } from '../run';
import { describeFailure } from './failure';

/** Results as JUnit XML: a suite for each file; what waits is skipped. */
export function junitReport(results: readonly CaseResult[]): string {
  const suites = [...new Set(results.map((result) => result.case.file))].map((file) => {
    const ofFile = results.filter((result) => result.case.file === file);
    return element('testsuite', countsOf(ofFile, file), ofFile.map(testCase));
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', countsOf(results, 'gadwall test'), suites)}\n`;
}

function countsOf(results: readonly CaseResult[], name: string): Record<string, string> {
  const count = (verdict: ReturnType<typeof verdictOf>): string =>
    String(results.filter((result) => verdictOf(result) === verdict).length);
  const ms = results.reduce((sum, result) => sum + result.ms, 0);
  const time = seconds(ms);
  return { name, tests: String(results.length), failures: count('failed'), skipped: count('waiting'), time };
}

function testCase(result: CaseResult): string {
  const { case: one, failure, waits, ms } = result;
  const attributes = {
    name: titleOf(one),
    classname: one.file,
    file: one.file,
    line: String(one.line),
    time: seconds(ms),
  };
  switch (verdictOf(result)) {
    case 'passed':
      return element('testcase', attributes);
    case 'waiting':
      return element('testcase', attributes, [element('skipped', { message: waits ?? '' })]);
    case 'failed': {
      const message = failure ? `expected ${failure.expected}; seen ${failure.seen}` : `it holds, and waits no longer`;
      const text = failure ? escaped(describeFailure(one, failure)) : '';
      return element('testcase', attributes, [element('failure', { message }, [text])]);
    }
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** @param content as XML */
function element(name: string, attributes: Record<string, string>, content: readonly string[] = []): string {
  const head = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`)].join(' ');
  return content.length > 0 ? `<${head}>${content.join('\n')}</${name}>` : `<${head}/>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Text for an element or an attribute, without the characters that XML 1.0 has no way to write. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? '');
}
