import { Token } from '../lexer';

/** A name in table position, its parts as written (1 to 3, more are kept and fail to resolve). */
export interface NamedTable {
  parts: string[];
  /** It is what the statement changes, not what it reads. */
  target: boolean;
  /** Written as a string: a file to the engine. */
  string: boolean;
}

const FROM_ENDS = new Set(
  `where group order having limit offset union except intersect select set returning window qualify when values do then
  on`.split(/\s+/),
);
/** `extract(year FROM d)` and its like: FROM is not followed by a table. */
const FROM_CALLS = new Set(['extract', 'substring', 'trim', 'overlay', 'position']);

interface Level {
  fromList: boolean;
  call: string | null;
}

/**
 * Every name in table position of a statement for which no syntax tree can be had (DML, DDL, COPY). Names of common
 * table expressions are left out: they are judged by what they hold.
 */
export function tablePositions(tokens: readonly Token[]): NamedTable[] {
  const found: NamedTable[] = [];
  const ctes = cteNames(tokens);
  const levels: Level[] = [{ fromList: false, call: null }];
  const verb = tokens.find((t) => t.type === 'word' && t.value !== 'with')?.value ?? '';
  let expect: 'source' | 'target' | null = null;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const level = levels[levels.length - 1] as Level;
    if (token.text === '(' || token.text === '[' || token.text === '{') {
      const before = tokens[i - 1];
      // A bracket in a FROM list holds a join or a subquery: its first name is a table again.
      const list: boolean = expect !== null && token.text === '(';
      levels.push({ fromList: list, call: before?.type === 'word' ? before.value : null });
      if (!list) expect = null;
      continue;
    }
    if (token.text === ')' || token.text === ']' || token.text === '}') {
      if (levels.length > 1) levels.pop();
      expect = null;
      continue;
    }
    if (token.text === ',') {
      expect = level.fromList ? 'source' : null;
      continue;
    }
    if (expect && isName(token) && !SKIPPED.has(token.type === 'word' ? token.value : '')) {
      const { parts, next } = chain(tokens, i);
      const call = tokens[next]?.text === '(' && !DEFINES.has(expect === 'target' ? verb : '');
      const alias = tokens[next]?.text === ':';
      if (alias) i = next;
      else {
        const cte = parts.length === 1 && ctes.has((parts[0] as string).toLowerCase());
        if (!call && !cte) found.push({ parts, target: expect === 'target', string: token.type === 'string' });
        expect = null;
        i = next - 1;
      }
      continue;
    }
    if (token.type !== 'word') continue;
    if (FROM_ENDS.has(token.value)) level.fromList = false;
    const opened = opens(token, tokens[i - 1], level, verb, tokens);
    if (opened) {
      expect = opened;
      if (opened === 'source') level.fromList = true;
    }
  }
  return found;
}

const SKIPPED = new Set([
  'only',
  'lateral',
  'if',
  'not',
  'exists',
  'temp',
  'temporary',
  'concurrently',
  'select',
  'values',
]);
const DEFINES = new Set(['insert', 'create', 'copy']);

function isName(token: Token): boolean {
  return token.type === 'word' || token.type === 'quoted' || token.type === 'string';
}

function opens(
  token: Token,
  before: Token | undefined,
  level: Level,
  verb: string,
  tokens: readonly Token[],
): 'source' | 'target' | null {
  switch (token.value) {
    case 'from':
      if (before?.type === 'word' && before.value === 'distinct') return null;
      if (level.call !== null && FROM_CALLS.has(level.call)) return null;
      return verb === 'delete' && before?.value === 'delete' ? 'target' : verb === 'copy' ? null : 'source';
    case 'join':
    case 'pivot':
    case 'unpivot':
      return 'source';
    case 'into':
      return 'target';
    case 'using':
      return verb === 'delete' || verb === 'merge' ? 'source' : null;
    case 'update':
      return before === undefined || tokens[0] === token || before.text === ')'
        ? verb === 'update'
          ? 'target'
          : null
        : null;
    case 'copy':
      return before === undefined ? 'target' : null;
    case 'table':
    case 'view':
    case 'sequence':
    case 'truncate':
      return ['create', 'drop', 'alter', 'truncate', 'comment'].includes(verb) ? 'target' : 'source';
    case 'on':
      return (verb === 'create' || verb === 'comment') && tokens.some((t) => t.value === 'index') ? 'target' : null;
    case 'references':
    case 'like':
      return verb === 'create' && token.value === 'references' ? 'source' : null;
    default:
      return null;
  }
}

function chain(tokens: readonly Token[], start: number): { parts: string[]; next: number } {
  const parts = [
    (tokens[start] as Token).type === 'word' ? (tokens[start] as Token).text : (tokens[start] as Token).value,
  ];
  let i = start + 1;
  while (tokens[i]?.text === '.' && tokens[i + 1] !== undefined && isName(tokens[i + 1] as Token)) {
    const part = tokens[i + 1] as Token;
    parts.push(part.type === 'word' ? part.text : part.value);
    i += 2;
  }
  return { parts, next: i };
}

/** Names defined by `name [(columns)] AS [NOT] [MATERIALIZED] (`, lower case. */
function cteNames(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  if (!tokens.some((t) => t.type === 'word' && t.value === 'with')) return names;
  tokens.forEach((token, i) => {
    if (token.type !== 'word' || token.value !== 'as') return;
    let after = i + 1;
    while (tokens[after]?.value === 'not' || tokens[after]?.value === 'materialized') after++;
    if (tokens[after]?.text !== '(') return;
    let before = i - 1;
    if (tokens[before]?.text === ')') {
      let depth = 0;
      do {
        if (tokens[before]?.text === ')') depth++;
        if (tokens[before]?.text === '(') depth--;
        before--;
      } while (depth > 0 && before >= 0);
    }
    const name = tokens[before];
    const lead = tokens[before - 1];
    const introduced = lead?.text === ',' || lead?.value === 'with' || lead?.value === 'recursive';
    if (name && introduced && (name.type === 'word' || name.type === 'quoted')) names.add(name.value.toLowerCase());
  });
  return names;
}
