import { Screened, StatementKind } from '@gadwall/rewriters';

/** What running a statement changes beside rows. */
export interface Effects {
  /** The transaction statement that it is. */
  transaction: 'begin' | 'commit' | 'rollback' | null;
  /** It changes what names mean to everybody. */
  catalog: boolean;
  /** It changes what names or literals mean to this session. */
  session: boolean;
  /** It changes a variable of this session, or a setting other than its search path. */
  alters: boolean;
  /** It changes rows: it commits only after the second check, and before any row that it returns is sent. */
  writes: boolean;
  /** What it does to the session stands whatever becomes of its transaction. */
  lasting: boolean;
  /** It runs outside a transaction of the node's. */
  bare: boolean;
}

const WRITES: readonly StatementKind[] = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'];
const BARE: readonly StatementKind[] = ['TRANSACTION', 'ATTACH', 'DETACH', 'VACUUM', 'CHECKPOINT', 'CALL'];

export function effectsOf(screened: Screened): Effects {
  const { kind, temporary, inner } = screened;
  const ran = kind === 'EXPLAIN' && isAnalyze(screened) && inner ? inner.kind : kind;
  const reads = ran === 'SELECT' || ran === 'EXPLAIN';
  const writes = WRITES.includes(ran);
  const session = kind === 'SET' || kind === 'USE' || temporary;
  return {
    transaction: kind === 'TRANSACTION' ? transactionOf(screened.keyword) : null,
    // DROP and ALTER of a temporary object count as everybody's: the text does not tell.
    catalog: !reads && !writes && kind !== 'SET' && kind !== 'USE' && kind !== 'TRANSACTION' && !temporary,
    session: session || kind === 'DROP' || kind === 'ALTER',
    alters: kind === 'SET' && !isOfPath(screened),
    writes,
    lasting: kind === 'SET' || kind === 'USE' || kind === 'TRANSACTION',
    bare: BARE.includes(kind),
  };
}

const SCOPES = new Set(['session', 'local', 'global']);
const OF_PATH = new Set(['schema', 'search_path']);

/** `SET [SESSION] schema = …`, `RESET search_path`; a variable may have such a name. */
function isOfPath({ tokens }: Screened): boolean {
  const name = SCOPES.has(tokens[1]?.value ?? '') ? tokens[2] : tokens[1];
  return name?.type === 'word' && OF_PATH.has(name.value);
}

function transactionOf(keyword: string): Effects['transaction'] {
  if (keyword === 'begin' || keyword === 'start') return 'begin';
  return keyword === 'commit' || keyword === 'end' ? 'commit' : 'rollback';
}

function isAnalyze(screened: Screened): boolean {
  const end = screened.tokens.length - (screened.inner?.tokens.length ?? 0);
  return screened.tokens.slice(0, end).some((token) => token.value === 'analyze');
}
