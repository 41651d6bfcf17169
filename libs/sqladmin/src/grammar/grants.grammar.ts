import type { TokenType } from 'chevrotain';
import type { Verb } from '@gadwall/rbac';
import { EntitiesGrammar } from './entities.grammar';
import { Misplaced } from './names.grammar';
import type { AdminStatement, PoolRef } from '../statement';
import { Comma, Dot, K, Star } from './vocabulary';

const TO_A_ROLE = 'tables are granted to roles, not to a {kind}: GRANT … TO ROLE r, then GRANT ROLE r TO {KIND} …';
const FROM_A_ROLE =
  'tables are revoked from roles, not from a {kind}: REVOKE … FROM ROLE r, or REVOKE ROLE r FROM {KIND} …';

/** GRANT and REVOKE: roles, pools, tables. */
export abstract class GrantsGrammar extends EntitiesGrammar {
  protected readonly grant = this.RULE('grant', (): AdminStatement => {
    this.CONSUME(K.GRANT);
    return this.OR<AdminStatement>([
      {
        ALT: () => {
          this.CONSUME(K.ROLE);
          const role = this.SUBRULE(this.name);
          this.CONSUME1(K.TO);
          return { type: 'grant-role', role, holder: this.SUBRULE1(this.holder) };
        },
      },
      {
        ALT: () => {
          const pool = this.SUBRULE(this.connect);
          this.CONSUME2(K.TO);
          return { type: 'grant-pool', pool, holder: this.SUBRULE2(this.holder) };
        },
      },
      {
        ALT: () => {
          const verb = this.SUBRULE(this.privileges);
          this.CONSUME(K.ON);
          const on = this.SUBRULE(this.table);
          this.CONSUME3(K.TO);
          return { type: 'grant-table', verb, on, role: this.SUBRULE(this.roleAlone, { ARGS: [TO_A_ROLE] }) };
        },
      },
    ]);
  });

  protected readonly revoke = this.RULE('revoke', (): AdminStatement => {
    this.CONSUME(K.REVOKE);
    return this.OR<AdminStatement>([
      {
        ALT: () => {
          this.CONSUME(K.ROLE);
          const role = this.SUBRULE(this.name);
          this.CONSUME1(K.FROM);
          return { type: 'revoke-role', role, holder: this.SUBRULE1(this.holder) };
        },
      },
      {
        ALT: () => {
          const pool = this.SUBRULE(this.connect);
          this.CONSUME2(K.FROM);
          return { type: 'revoke-pool', pool, holder: this.SUBRULE2(this.holder) };
        },
      },
      {
        ALT: () => {
          const verb = this.SUBRULE(this.privileges);
          this.CONSUME(K.ON);
          const on = this.SUBRULE(this.table);
          this.CONSUME3(K.FROM);
          return { type: 'revoke-table', verb, on, role: this.SUBRULE(this.roleAlone, { ARGS: [FROM_A_ROLE] }) };
        },
      },
    ]);
  });

  /** `CONNECT ON POOL [database.]pool`, `*` for every pool. */
  protected readonly connect = this.RULE('connect', (): PoolRef => {
    this.CONSUME(K.CONNECT);
    this.CONSUME(K.ON);
    this.CONSUME(K.POOL);
    return this.OR<PoolRef>([
      { ALT: () => (this.CONSUME(Star), { database: null, pool: null }) },
      {
        ALT: () => {
          const first = this.SUBRULE1(this.name);
          const second = this.OPTION(() => {
            this.CONSUME(Dot);
            return this.SUBRULE2(this.name);
          });
          return second === undefined ? { database: null, pool: first } : { database: first, pool: second };
        },
      },
    ]);
  });

  /** Seed 000, "Verbs": RW holds the right to read, so SELECT beside INSERT adds nothing. */
  protected readonly privileges = this.RULE('privileges', (): Verb =>
    this.OR1<Verb>([
      {
        ALT: () => {
          this.CONSUME(K.ALL);
          this.OPTION(() => this.CONSUME(K.PRIVILEGES));
          return 'ALL';
        },
      },
      { ALT: () => (this.CONSUME(K.DDL), 'DDL') },
      {
        ALT: () => {
          let verb: Verb = 'RO';
          this.AT_LEAST_ONE_SEP({
            SEP: Comma,
            DEF: () => {
              const kind: TokenType = this.OR2([
                { ALT: () => this.CONSUME(K.SELECT).tokenType },
                { ALT: () => this.CONSUME(K.INSERT).tokenType },
                { ALT: () => this.CONSUME(K.UPDATE).tokenType },
                { ALT: () => this.CONSUME(K.DELETE).tokenType },
              ]);
              if (kind !== K.SELECT) verb = 'RW';
            },
          });
          return verb;
        },
      },
    ]),
  );

  /** `[ROLE] r`; a user or a group is recognised for a better answer. */
  protected readonly roleAlone = this.RULE('roleAlone', (reason: string): string =>
    this.OR<string>([
      { ALT: () => (this.CONSUME(K.ROLE), this.SUBRULE1(this.name)) },
      {
        ALT: () => {
          const { kind } = this.SUBRULE(this.holder);
          return this.ACTION((): string => {
            throw new Misplaced(
              this.LA(-1),
              reason.replaceAll('{kind}', kind).replaceAll('{KIND}', kind.toUpperCase()),
            );
          });
        },
      },
      { ALT: () => this.SUBRULE2(this.name) },
    ]),
  );
}
