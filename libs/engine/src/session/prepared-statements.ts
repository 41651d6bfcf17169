import { DomainError } from '@gadwall/rbac';
import type { PreparedText } from '@gadwall/rewriters';

const MAX_STATEMENTS = 200;
/** Characters of a name that an error repeats. */
const MAX_SHOWN = 100;
/** Characters of all of them. */
const MAX_LENGTH = 4 * 1_048_576;

/**
 * The prepared statements of a session, as text: each EXECUTE is screened, described and judged like any statement, so none
 * outlives its grant.
 */
export class PreparedStatements {
  private readonly byName = new Map<string, PreparedText>();
  private length = 0;

  /** @throws DomainError `sql_error`: there is none of that name */
  get(name: string): PreparedText {
    const found = this.byName.get(name);
    if (!found)
      throw new DomainError('sql_error', {
        detail: `there is no prepared statement ${name.slice(0, MAX_SHOWN)} in this session`,
      });
    return found;
  }

  /** Takes the place of one of that name. @throws DomainError `statement_too_large` when the session holds too many */
  set(name: string, prepared: PreparedText): void {
    const before = this.byName.get(name)?.length ?? 0;
    const length = this.length - before + prepared.length;
    if (length > MAX_LENGTH || (!this.byName.has(name) && this.byName.size >= MAX_STATEMENTS)) {
      const detail = `a session keeps at most ${MAX_STATEMENTS} prepared statements of ${MAX_LENGTH} characters together; DEALLOCATE some`;
      throw new DomainError('statement_too_large', { detail });
    }
    this.length = length;
    this.byName.set(name, prepared);
  }

  /** @param name null: all of them. @throws DomainError `sql_error`: there is none of that name */
  remove(name: string | null): void {
    this.length = name === null ? 0 : this.length - this.get(name).length;
    if (name === null) this.byName.clear();
    else this.byName.delete(name);
  }
}
