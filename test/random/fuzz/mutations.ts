/** Numbers from 0 to 1 of one seed. */
export type Random = () => number;

type Mutation = (text: Buffer, random: Random, other: Buffer) => Buffer;

const below = (random: Random, end: number): number => Math.floor(random() * end);

/** Two places of a text, in order, not far apart. */
function stretch(text: Buffer, random: Random): [number, number] {
  const start = below(random, text.length + 1);
  return [start, Math.min(text.length, start + below(random, 40))];
}

function put(text: Buffer, random: Random, what: Buffer | string): Buffer {
  const at = below(random, text.length + 1);
  return Buffer.concat([text.subarray(0, at), Buffer.from(what), text.subarray(at)]);
}

const BLANKS = [
  '\u00a0',
  '\u2003',
  '\u200b',
  '\u202f',
  '\u2060',
  '\u3000',
  '\ufeff',
  '\u0085',
  '\u180e',
  '\u2028',
  '\t',
  '\v',
];
const ODD = [
  "'",
  '"',
  '$$',
  '$a$',
  '--',
  '/*',
  '*/',
  ';',
  '\\',
  "E'",
  "U&'",
  "x'",
  '`',
  '?',
  '$1',
  ':',
  '::',
  '->',
  '=>',
  '@',
];
const WORDS =
  `select from where with recursive as union all by name values table lateral join using on exists in not pivot
  unpivot query query_table explain analyze prepare execute call pragma describe show summarize insert into update set delete
  merge truncate create temp view drop alter copy attach use begin commit returning over window qualify distinct limit
  customer orders secret lake main s1 shop pub sec salaries pgsrc public information_schema
  duckdb_tables() audit pg_events v3 *`.split(/\s+/);
const NUMBERS = [
  '0',
  '-1',
  '9223372036854775808',
  '1e400',
  '99999999999999999999999999999999999999999',
  '0x7fffffff',
  '1_000',
  '.5.',
  '2147483648',
];

const one = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;

const MUTATIONS: readonly Mutation[] = [
  // A bit flipped.
  (text, random) => {
    const changed = Buffer.from(text);
    const at = below(random, Math.max(changed.length, 1));
    if (at < changed.length) changed[at] = (changed[at] as number) ^ (1 << below(random, 8));
    return changed;
  },
  // A byte put in: often no UTF-8.
  (text, random) => put(text, random, Buffer.from([below(random, 256)])),
  (text, random) => put(text, random, one(random, BLANKS)),
  (text, random) => put(text, random, one(random, ODD)),
  (text, random) => put(text, random, ` ${one(random, WORDS)} `),
  (text, random) => put(text, random, one(random, ['\0', '\ud800', '\udfff', '\uffff', 'İ', 'ſ', 'K', '\u0301'])),
  // A stretch cut out, doubled, or moved.
  (text, random) => {
    const [start, end] = stretch(text, random);
    return Buffer.concat([text.subarray(0, start), text.subarray(end)]);
  },
  (text, random) => {
    const [start, end] = stretch(text, random);
    return Buffer.concat([text.subarray(0, end), text.subarray(start, end), text.subarray(end)]);
  },
  (text, random) => put(text, random, text.subarray(...stretch(text, random))),
  // Two statements made one.
  (text, random, other) => {
    const [cut] = stretch(text, random);
    const [from] = stretch(other, random);
    return Buffer.concat([text.subarray(0, cut), other.subarray(from)]);
  },
  (text, random, other) => put(text, random, other.subarray(...stretch(other, random))),
  // A word in the place of another.
  (text, random) => {
    const words = [...text.toString('latin1').matchAll(/\w+/g)];
    if (words.length === 0) return text;
    const { index, 0: word } = one(random, words);
    const by = random() < 0.5 ? one(random, WORDS) : one(random, words)[0];
    return Buffer.concat([text.subarray(0, index), Buffer.from(by), text.subarray(index + word.length)]);
  },
  // A number in the place of another.
  (text, random) => Buffer.from(text.toString('latin1').replace(/\d+/, one(random, NUMBERS)), 'latin1'),
  // Much of the same.
  (text, random) =>
    put(
      text,
      random,
      one(random, ['(', '[', '{', '(select ', 'not ', '-', '1+', 'a.', 'cast(']).repeat(below(random, 400)),
    ),
  (text, random) => {
    const depth = below(random, 70);
    return Buffer.concat([Buffer.from('select * from ('.repeat(depth)), text, Buffer.from(')'.repeat(depth))]);
  },
];

/** A statement after some mutations, mostly one or two. The same seed gives the same. */
export function mutant(statement: string, other: string, random: Random): string {
  let text: Buffer = Buffer.from(statement);
  for (let left = 1 + Math.floor(5 * random() ** 3); left > 0; left--) {
    text = one(random, MUTATIONS)(text, random, Buffer.from(other)).subarray(0, MAX_BYTES);
  }
  // What a door decodes: bytes that are no UTF-8 become U+FFFD, or each byte a character.
  return text.toString(random() < 0.9 ? 'utf8' : 'latin1');
}

const MAX_BYTES = 20_000;
