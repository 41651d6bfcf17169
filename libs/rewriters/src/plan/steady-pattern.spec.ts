import { isSteady } from './steady-pattern';

/** Each was tried over texts of 8,000, 16,000 and 32,000 characters: `regexp_replace(text, pattern, 'c', 'g')`. */
describe('all matches are found in time that grows with the text', () => {
  test.each([
    'foo|bar',
    '(foo|bar)',
    '[^0-9]',
    '\\s+',
    '[^a-z0-9]+',
    '\\s*,\\s*',
    '<[^>]*>',
    '(\\d+)-(\\d+)',
    '[ab]*a',
    'a*b[ab]*c',
    'a[^c]*b[^d]*a',
    '[\\w.]+@[\\w.]+\\.\\w+',
    '(?i)https?://\\S+',
    '(?P<year>\\d{4})-\\d\\d',
    '\\s+|-',
    'a+|b{2,}',
    '(a)?b',
    '\\(.*\\)',
    '[)?*|]+',
    '[]|)?]+x',
    '[[:alpha:]|)?]+x',
    '\\p{Greek}+',
    'a.{0,900}b|a',
  ])('%s', (pattern) => expect(isSteady(pattern)).toBe(true));
});

describe('a search may go on far behind a match that it gives', () => {
  test.each([
    'a*b|a',
    'a(.*b)?',
    '(a.*b)*',
    '(a.*b)+',
    '(a.*b){0,3}',
    '(\\w+@)?\\w',
    'a.*?c|a',
    'a|b{1,}c',
    '^\\s+|\\s+$',
    '((.*)b|)a',
    'ab*?',
    '(?U)a+b?',
    '(?is-m:a*b)',
    '\\Q[\\E(a*b)?\\Q]\\E',
    '[[:x]a(.*b)?]',
    '[a]](.*b)?[',
    '\\[(.*b)?\\]',
    '[\\]](a*b)?]',
  ])('%s', (pattern) => expect(isSteady(pattern)).toBe(false));
});
