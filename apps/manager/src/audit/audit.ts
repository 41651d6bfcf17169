import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Queryable } from '@gadwall/events';
import { v7 as uuidv7 } from 'uuid';
import { READS } from '../postgres';

/** Something worth keeping that changed no policy: logins, refusals. Source: qod-api.md 1.5. */
export interface AuditRecord {
  family: 'control-plane' | 'auth' | 'data-denial' | 'data-write';
  action: string;
  /** Id of the acting user; null = nobody known, or the static key. */
  actor: string | null;
  tenant: string | null;
  target?: string;
  outcome: 'ok' | 'denied' | 'error';
  /** Codes, ids and counts; no secret, no text that a client sent. */
  detail?: Record<string, string | number | boolean | null>;
}

/** Writes audit records. A failure to write one is logged and stops nothing. */
@Injectable()
export class Audit {
  private readonly logger = new Logger('audit');

  constructor(@Inject(READS) private readonly db: Queryable) {}

  async record({ family, action, actor, tenant, target, outcome, detail = {} }: AuditRecord): Promise<void> {
    try {
      await this.db.query(
        `INSERT INTO audit (id, ts, family, actor, tenant, action, target, outcome, detail)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [uuidv7(), new Date(), family, actor, tenant, action, target ?? null, outcome, JSON.stringify(detail)],
      );
    } catch (error) {
      this.logger.error({ message: 'an audit record was lost', action, err: error });
    }
  }
}
