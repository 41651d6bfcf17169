import { Access, ObjectKind } from '../description';
import { Token } from '../lexer';
import { CREATE_MODIFIERS } from './statement-kinds';
import { BracketEnds, isName, nameAt, WrittenObject } from './written-object';

/** What a statement changes, as its first words tell, and where what follows begins. */
export interface StatementHead {
  targets: WrittenObject[];
  next: number;
}

/** Kinds of object by the word that names them. */
const KINDS: Readonly<Record<string, ObjectKind>> = {
  table: 'table',
  view: 'view',
  schema: 'schema',
  sequence: 'sequence',
  type: 'type',
  index: 'index',
  macro: 'macro',
  function: 'macro',
};

/**
 * Reads the words up to the name of what is changed. A statement that changes nothing by name has no target; null when its
 * words are of no form that is known.
 */
export function statementHead(tokens: readonly Token[], ends: BracketEnds, at: number): StatementHead | null {
  const reader: Reader = { tokens, ends, at };
  switch (tokens[at]?.type === 'word' ? tokens[at].value : '') {
    case 'insert': {
      const i = skip(reader, at + 1, [
        ['or', 'replace'],
        ['or', 'ignore'],
      ]);
      return word(reader, i) === 'into' ? target(reader, i + 1, 'table', ['insert']) : null;
    }
    case 'update':
      return target(reader, skip(reader, at + 1, [['only']]), 'table', ['update']);
    case 'delete':
      return word(reader, at + 1) === 'from'
        ? target(reader, skip(reader, at + 2, [['only']]), 'table', ['delete'])
        : null;
    case 'truncate':
      return target(reader, skip(reader, at + 1, [['table'], ['only']]), 'table', ['delete']);
    case 'merge':
      return word(reader, at + 1) === 'into'
        ? target(reader, skip(reader, at + 2, [['only']]), 'table', mergeAccesses(reader))
        : null;
    case 'create':
      return createHead(reader);
    case 'drop':
      return namedHead(reader, at + 1, 'drop');
    case 'alter':
      return namedHead(reader, at + 1, 'alter');
    case 'comment':
      return word(reader, at + 1) === 'on' ? commentHead(reader) : null;
    case 'copy':
      return copyHead(reader);
    default:
      return { targets: [], next: at };
  }
}

interface Reader {
  readonly tokens: readonly Token[];
  readonly ends: BracketEnds;
  readonly at: number;
}

function word({ tokens }: Reader, i: number): string {
  return tokens[i]?.type === 'word' ? tokens[i].value : '';
}

/** Leaves out runs of words, each at most once, where they stand in this order. */
function skip(reader: Reader, i: number, runs: readonly (readonly string[])[]): number {
  return runs.reduce((at, run) => (run.every((one, j) => word(reader, at + j) === one) ? at + run.length : at), i);
}

function target(reader: Reader, i: number, kind: ObjectKind, accesses: readonly Access[]): StatementHead | null {
  const first = reader.tokens[i];
  if (!isName(first)) return null;
  const { parts, next } = nameAt(reader.tokens, i);
  const string = first.type === 'string';
  return { targets: accesses.map((access) => ({ parts, kind, access, string, certain: true, at: i })), next };
}

const MERGE_ACTIONS: Readonly<Record<string, Access>> = { insert: 'insert', update: 'update', delete: 'delete' };

/** What stands behind each THEN; a MERGE that only raises or ignores is a write all the same. */
function mergeAccesses({ tokens, ends, at }: Reader): Access[] {
  const accesses = new Set<Access>();
  for (let i = at; i < tokens.length; i++) {
    const action = MERGE_ACTIONS[tokens[i + 1]?.value ?? ''];
    if (tokens[i]?.text === '(') i = ends[i] as number;
    else if (tokens[i]?.type === 'word' && tokens[i]?.value === 'then' && action) accesses.add(action);
  }
  return accesses.size > 0 ? [...accesses] : ['update'];
}

const IF_NOT_EXISTS = [['if', 'not', 'exists']];
const IF_EXISTS = [['if', 'exists'], ['only']];

function createHead(reader: Reader): StatementHead | null {
  let i = reader.at + 1;
  while (CREATE_MODIFIERS.has(word(reader, i))) i++;
  const kind = KINDS[word(reader, i)];
  const name = skip(reader, i + 1, IF_NOT_EXISTS);
  if (kind === undefined) return null;
  // No grant gives a tenant user a macro.
  if (kind !== 'index') return target(reader, name, kind, kind === 'macro' ? [] : ['create']);
  // `CREATE INDEX name ON t`: the table is altered, and read.
  const on = word(reader, name) === 'on' ? name : name + 1;
  return word(reader, on) === 'on' ? target(reader, on + 1, 'table', ['alter', 'read']) : null;
}

function namedHead(reader: Reader, i: number, access: Access): StatementHead | null {
  const kind = KINDS[word(reader, i)];
  return kind === undefined
    ? null
    : target(reader, skip(reader, i + 1, IF_EXISTS), kind, kind === 'macro' ? [] : [access]);
}

function commentHead(reader: Reader): StatementHead | null {
  if (word(reader, reader.at + 2) !== 'column') return namedHead(reader, reader.at + 2, 'alter');
  const column = target(reader, reader.at + 3, 'table', ['alter']);
  const [named] = column?.targets ?? [];
  if (!column || !named || named.parts.length < 2) return null;
  return { ...column, targets: [{ ...named, parts: named.parts.slice(0, -1) }] };
}

/** `COPY t [(columns)] FROM|TO …`, `COPY (query) TO …`, `COPY FROM DATABASE …`. */
function copyHead(reader: Reader): StatementHead | null {
  const { tokens, ends, at } = reader;
  if (tokens[at + 1]?.text === '(' || word(reader, at + 1) === 'from') return { targets: [], next: at + 1 };
  const named = target(reader, at + 1, 'table', ['insert']);
  if (!named) return null;
  const next = tokens[named.next]?.text === '(' ? (ends[named.next] as number) + 1 : named.next;
  const direction = word(reader, next);
  if (direction !== 'from' && direction !== 'to') return null;
  const access = direction === 'from' ? 'insert' : 'read';
  return { targets: named.targets.map((one) => ({ ...one, access })), next };
}
