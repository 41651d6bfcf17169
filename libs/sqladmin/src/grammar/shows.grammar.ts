import { GrantsGrammar } from './grants.grammar';
import type { AdminStatement, PolicyFilter } from '../statement';
import { K } from './vocabulary';

/** SHOW. */
export abstract class ShowsGrammar extends GrantsGrammar {
  protected readonly show = this.RULE('show', (): AdminStatement => {
    this.CONSUME(K.SHOW);
    return this.OR1<AdminStatement>([
      { ALT: () => (this.CONSUME(K.ROLES), { type: 'show-roles' }) },
      { ALT: () => (this.CONSUME(K.GROUPS), { type: 'show-groups' }) },
      { ALT: () => (this.CONSUME(K.USERS), { type: 'show-users' }) },
      { ALT: () => this.SUBRULE(this.showGrants) },
      {
        ALT: () => {
          this.CONSUME(K.EFFECTIVE);
          this.CONSUME(K.GRANTS);
          this.CONSUME(K.FOR);
          this.CONSUME(K.USER);
          return { type: 'show-effective', user: this.SUBRULE(this.username) };
        },
      },
      { ALT: () => (this.CONSUME(K.ROW), { type: 'show-row-policies', ...this.SUBRULE1(this.policyFilter) }) },
      { ALT: () => (this.CONSUME(K.COLUMN), { type: 'show-column-policies', ...this.SUBRULE2(this.policyFilter) }) },
      { ALT: () => this.SUBRULE(this.showPoolGrants) },
    ]);
  });

  protected readonly showGrants = this.RULE('showGrants', (): AdminStatement => {
    this.CONSUME(K.GRANTS);
    this.CONSUME(K.FOR);
    return this.OR<AdminStatement>([
      {
        ALT: () => {
          this.CONSUME(K.ROLE);
          return { type: 'show-grants', of: { kind: 'role', name: this.SUBRULE(this.name) } };
        },
      },
      {
        ALT: () => {
          this.CONSUME(K.USER);
          return { type: 'show-grants', of: { kind: 'user', name: this.SUBRULE(this.username) } };
        },
      },
    ]);
  });

  protected readonly policyFilter = this.RULE('policyFilter', (): PolicyFilter => {
    this.CONSUME(K.POLICIES);
    const filter: PolicyFilter = { on: null, role: null };
    this.OPTION(() =>
      this.OR([
        {
          ALT: () => {
            this.CONSUME(K.ON);
            filter.on = this.SUBRULE(this.table);
          },
        },
        {
          ALT: () => {
            filter.role = this.SUBRULE(this.forRole);
          },
        },
      ]),
    );
    return filter;
  });

  protected readonly showPoolGrants = this.RULE('showPoolGrants', (): AdminStatement => {
    this.CONSUME(K.POOL);
    this.CONSUME(K.GRANTS);
    const holder = this.OPTION(() => {
      this.CONSUME(K.FOR);
      return this.SUBRULE(this.holder);
    });
    return { type: 'show-pool-grants', holder: holder ?? null };
  });
}
