import { ViewsGrammar } from './views.grammar';
import type { AdminStatement, UserChange } from '../statement';
import { K } from './vocabulary';

/** CREATE, DROP and ALTER: roles, groups, users, policies, and secure views. */
export abstract class EntitiesGrammar extends ViewsGrammar {
  protected readonly create = this.RULE('create', (): AdminStatement => {
    this.CONSUME(K.CREATE);
    return this.OR<AdminStatement>([
      { ALT: () => this.SUBRULE(this.createRole) },
      { ALT: () => this.SUBRULE(this.createGroup) },
      { ALT: () => this.SUBRULE(this.createUser) },
      { ALT: () => this.SUBRULE(this.createPolicy) },
      { ALT: () => this.SUBRULE(this.createSecureView) },
    ]);
  });

  protected readonly createRole = this.RULE('createRole', (): AdminStatement => {
    this.CONSUME(K.ROLE);
    return { type: 'create-role', name: this.SUBRULE(this.name) };
  });

  protected readonly createGroup = this.RULE('createGroup', (): AdminStatement => {
    this.CONSUME(K.GROUP);
    return { type: 'create-group', name: this.SUBRULE(this.name) };
  });

  protected readonly createUser = this.RULE('createUser', (): AdminStatement => {
    this.CONSUME(K.USER);
    const name = this.SUBRULE(this.username);
    const password = this.SUBRULE(this.password);
    let admin = false;
    let roles: string[] | null = null;
    let groups: string[] | null = null;
    this.OPTION1(() => {
      this.CONSUME(K.ADMIN);
      admin = true;
    });
    this.OPTION2(() => {
      this.CONSUME(K.ROLES);
      roles = this.SUBRULE1(this.names);
    });
    this.OPTION3(() => {
      this.CONSUME(K.GROUPS);
      groups = this.SUBRULE2(this.names);
    });
    return { type: 'create-user', name, password, admin, roles, groups };
  });

  protected readonly drop = this.RULE('drop', (): AdminStatement => {
    this.CONSUME(K.DROP);
    return this.OR<AdminStatement>([
      {
        ALT: () => {
          this.CONSUME(K.ROLE);
          const ifExists = this.SUBRULE1(this.ifExists);
          return { type: 'drop-role', name: this.SUBRULE1(this.name), ifExists };
        },
      },
      {
        ALT: () => {
          this.CONSUME(K.GROUP);
          const ifExists = this.SUBRULE2(this.ifExists);
          return { type: 'drop-group', name: this.SUBRULE2(this.name), ifExists };
        },
      },
      {
        ALT: () => {
          this.CONSUME(K.USER);
          const ifExists = this.SUBRULE3(this.ifExists);
          return { type: 'drop-user', name: this.SUBRULE(this.username), ifExists };
        },
      },
      { ALT: () => this.SUBRULE(this.dropRowPolicy) },
      { ALT: () => this.SUBRULE(this.dropColumnPolicy) },
      { ALT: () => this.SUBRULE(this.dropSecureView) },
    ]);
  });

  protected readonly alter = this.RULE('alter', (): AdminStatement => {
    this.CONSUME(K.ALTER);
    return this.OR<AdminStatement>([
      {
        ALT: () => {
          this.CONSUME(K.GROUP);
          const group = this.SUBRULE(this.name);
          const type = this.OR1<'add-member' | 'drop-member'>([
            { ALT: () => (this.CONSUME(K.ADD), 'add-member') },
            { ALT: () => (this.CONSUME(K.DROP), 'drop-member') },
          ]);
          this.CONSUME1(K.USER);
          return { type, group, user: this.SUBRULE1(this.username) };
        },
      },
      {
        ALT: () => {
          this.CONSUME2(K.USER);
          const name = this.SUBRULE2(this.username);
          return { type: 'alter-user', name, change: this.SUBRULE(this.userChange) };
        },
      },
    ]);
  });

  protected readonly userChange = this.RULE('userChange', (): UserChange =>
    this.OR<UserChange>([
      { ALT: () => ({ password: this.SUBRULE(this.password) }) },
      {
        ALT: () => {
          this.CONSUME(K.REQUIRE);
          this.CONSUME(K.PASSWORD);
          this.CONSUME(K.CHANGE);
          return { mustChangePassword: true };
        },
      },
      { ALT: () => (this.CONSUME(K.ENABLE), { enabled: true }) },
      { ALT: () => (this.CONSUME(K.DISABLE), { enabled: false }) },
    ]),
  );
}
