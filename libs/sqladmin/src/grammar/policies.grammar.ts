import { NamesGrammar } from './names.grammar';
import type { AdminStatement, TableRef } from '../statement';
import { K } from './vocabulary';

/** Row and column policies. */
export abstract class PoliciesGrammar extends NamesGrammar {
  protected readonly createPolicy = this.RULE('createPolicy', (): AdminStatement => {
    const orReplace = this.OPTION(() => {
      this.CONSUME(K.OR);
      this.CONSUME(K.REPLACE);
      return true;
    });
    return this.OR<AdminStatement>([
      {
        ALT: () => {
          this.CONSUME(K.ROW);
          const { on, role } = this.SUBRULE(this.rowPolicyPlace);
          const using = this.SUBRULE1(this.using);
          return { type: 'create-row-policy', orReplace: orReplace === true, on, role, using };
        },
      },
      {
        ALT: () => {
          this.CONSUME(K.COLUMN);
          const place = this.SUBRULE(this.columnPolicyPlace);
          const mask = this.SUBRULE(this.columnAction);
          return { type: 'create-column-policy', orReplace: orReplace === true, ...place, mask };
        },
      },
    ]);
  });

  /** `POLICY ON [TABLE] ref FOR ROLE r`. */
  protected readonly rowPolicyPlace = this.RULE('rowPolicyPlace', (): { on: TableRef; role: string } => {
    this.CONSUME(K.POLICY);
    this.CONSUME(K.ON);
    const on = this.SUBRULE(this.table);
    return { on, role: this.SUBRULE(this.forRole) };
  });

  /** `POLICY ON [TABLE] ref COLUMN c FOR ROLE r`. */
  protected readonly columnPolicyPlace = this.RULE(
    'columnPolicyPlace',
    (): { on: TableRef; column: string; role: string } => {
      this.CONSUME(K.POLICY);
      this.CONSUME(K.ON);
      const on = this.SUBRULE(this.table);
      this.CONSUME(K.COLUMN);
      const column = this.SUBRULE(this.name);
      return { on, column, role: this.SUBRULE(this.forRole) };
    },
  );

  /** `DENY | MASK USING (expression)`; null = denied. */
  protected readonly columnAction = this.RULE('columnAction', (): string | null =>
    this.OR<string | null>([
      {
        ALT: () => {
          this.CONSUME(K.DENY);
          return null;
        },
      },
      {
        ALT: () => {
          this.CONSUME(K.MASK);
          return this.SUBRULE(this.using);
        },
      },
    ]),
  );

  protected readonly dropRowPolicy = this.RULE('dropRowPolicy', (): AdminStatement => {
    this.CONSUME(K.ROW);
    this.CONSUME(K.POLICY);
    const ifExists = this.SUBRULE(this.ifExists);
    this.CONSUME(K.ON);
    const on = this.SUBRULE(this.table);
    return { type: 'drop-row-policy', ifExists, on, role: this.SUBRULE(this.forRole) };
  });

  protected readonly dropColumnPolicy = this.RULE('dropColumnPolicy', (): AdminStatement => {
    this.CONSUME1(K.COLUMN);
    this.CONSUME(K.POLICY);
    const ifExists = this.SUBRULE(this.ifExists);
    this.CONSUME(K.ON);
    const on = this.SUBRULE(this.table);
    this.CONSUME2(K.COLUMN);
    const column = this.SUBRULE(this.name);
    return { type: 'drop-column-policy', ifExists, on, column, role: this.SUBRULE(this.forRole) };
  });

  protected readonly ifExists = this.RULE('ifExists', (): boolean => {
    const found = this.OPTION(() => {
      this.CONSUME(K.IF);
      this.CONSUME(K.EXISTS);
      return true;
    });
    return found === true;
  });
}
