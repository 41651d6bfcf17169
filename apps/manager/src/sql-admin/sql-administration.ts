import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DomainError, type PolicyVersions } from '@gadwall/rbac';
import { firstTokens } from '@gadwall/rewriters';
import {
  AdminSyntaxError,
  type AdminStatement,
  type ChangeStatement,
  isShow,
  type Listing,
  parseAdministration,
  showRows,
  summaryOf,
} from '@gadwall/sqladmin';
import type { Caller } from '../auth';
import { refuseForeign } from '../mutation';
import { ChangePolicy } from './change-policy.command';
import { DirectoryQuery } from './directory.query';

/** What a statement of the administration dialect answers. */
export interface AdministrationAnswer {
  /** The statement's first word, in capitals. */
  kind: string;
  listing: Listing;
  versions: PolicyVersions;
  /** False when a change is committed and the wait for its nodes ran into its limit: it is in force within a lease. */
  effective: boolean;
}

/** Runs statements of the administration dialect, for every SQL door. Source: qod-api.md 1.8. */
@Injectable()
export class SqlAdministration {
  constructor(
    private readonly commands: CommandBus,
    private readonly directories: DirectoryQuery,
  ) {}

  /**
   * Runs one statement. A change is answered when it is in force, as REST does it.
   *
   * @throws DomainError `admin_required` before anything of the text is looked at, `tenant_forbidden`; `sql_error` with the
   *   place in the text; what REST refuses the same change with
   */
  async run(caller: Caller, tenant: string, sql: string): Promise<AdministrationAnswer> {
    if (!caller.principal.admin) throw new DomainError('admin_required');
    refuseForeign(caller.principal, tenant);
    const statement = parsed(sql);
    const kind = firstTokens(sql, 1)[0]?.text.toUpperCase() ?? '';
    if (!isShow(statement)) return { kind, ...(await this.change(caller, tenant, statement)) };
    const { directory, versions } = await this.directories.read(tenant, statement);
    return { kind, listing: showRows(statement, directory), versions, effective: true };
  }

  private async change(
    caller: Caller,
    tenant: string,
    statement: ChangeStatement,
  ): Promise<Omit<AdministrationAnswer, 'kind'>> {
    const {
      result: events,
      versions,
      barrier,
    } = await this.commands.execute(new ChangePolicy(tenant, caller, statement));
    const { effective } = await barrier.settled;
    return { listing: changeRow(summaryOf(statement, events), effective), versions, effective };
  }
}

/** The error names the place alone: the text may hold a password. */
function parsed(sql: string): AdminStatement {
  try {
    return parseAdministration(sql);
  } catch (error) {
    if (error instanceof AdminSyntaxError) throw new DomainError('sql_error', { detail: error.message });
    throw error;
  }
}

function changeRow(detail: string, effective: boolean): Listing {
  const columns = ['status', 'detail'].map((name) => ({ name, type: 'VARCHAR' as const }));
  return { columns, rows: [[effective ? 'ok' : 'pending', detail]] };
}
