import { Injectable } from '@nestjs/common';
import { grantLeases, type Renewal, type RenewalAnswer } from '@gadwall/events';
import { PostgresLeaseTable } from './lease-table';
import { StoreWatch } from './store-watch';

/** Renewals that come within this many ms are one write. */
const BATCH_MS = 3;

interface Waiting extends Renewal {
  resolve: (answer: RenewalAnswer) => void;
  reject: (error: unknown) => void;
}

/** Grants leases, those of a few milliseconds in one write (DESIGN section 5, rule 5). */
@Injectable()
export class Renewals {
  private waiting: Waiting[] = [];

  constructor(
    private readonly table: PostgresLeaseTable,
    private readonly store: StoreWatch,
  ) {}

  /** @throws a database error: the node keeps what it has until that lapses */
  renew(renewal: Renewal): Promise<RenewalAnswer> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setTimeout(() => void this.flush(), BATCH_MS);
      this.waiting.push({ ...renewal, resolve, reject });
    });
  }

  private async flush(): Promise<void> {
    const batch = this.waiting;
    this.waiting = [];
    try {
      const answers = await grantLeases(
        {
          write: (renewals) => this.table.write(renewals),
          read: async (streams) => {
            const read = await this.table.read(streams);
            this.store.see(read);
            return read;
          },
        },
        batch,
      );
      batch.forEach(({ resolve, reject }, i) => {
        const answer = answers[i];
        if (answer) resolve(answer);
        else reject(new Error('a renewal got no answer'));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
