import { DomainError } from '@gadwall/rbac';
import {
  Preparation,
  Screened,
  screenExecuted,
  screenOrPreparation,
  screenPrepared,
  ScreenRefusal,
} from '@gadwall/rewriters';
import { NodeSession } from '../session';
import { screenError } from './describer';
import { StatementRequest } from './statement-request';

/** What a request asks for, screened. */
export type Submission =
  /** To be judged and run. */
  | { screened: Screened; preparing: null }
  /** To be judged alone: `keep` has the session know it, under its name. */
  | { screened: Screened; preparing: { parameters: number; keep: () => void } }
  /** Of the session's own, with nothing for the engine. */
  | { deallocate: () => void };

/** @throws DomainError what the screen refuses; `sql_error` for a prepared statement that there is not */
export function submissionOf({ sql, parameters, session }: StatementRequest): Submission {
  try {
    const submitted = screenOrPreparation(sql, parameters);
    return 'screened' in submitted
      ? { screened: submitted.screened, preparing: null }
      : inSession(submitted.preparation, session);
  } catch (error) {
    throw error instanceof ScreenRefusal ? screenError(error) : error;
  }
}

function inSession(preparation: Preparation, session: NodeSession | null): Submission {
  const { type, name } = preparation;
  if (!session) throw new DomainError('sql_error', { detail: `${type.toUpperCase()} needs a session` });
  const statements = session.prepared;
  switch (type) {
    case 'prepare': {
      const { prepared } = preparation;
      const keep = () => statements.set(preparation.name, prepared);
      return { screened: screenPrepared(prepared), preparing: { parameters: prepared.parameters, keep } };
    }
    case 'execute':
      return { screened: screenExecuted(statements.get(preparation.name), preparation.values), preparing: null };
    case 'deallocate':
      return { deallocate: () => statements.remove(name) };
  }
}
