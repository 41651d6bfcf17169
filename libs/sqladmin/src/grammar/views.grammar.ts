import { render } from '@gadwall/rewriters';
import type { AdminStatement, ViewRef } from '../statement';
import { PoliciesGrammar } from './policies.grammar';
import { type AdminToken, Dot, K, Part } from './vocabulary';

/** Secure views. */
export abstract class ViewsGrammar extends PoliciesGrammar {
  /** `CREATE [OR REPLACE] SECURE VIEW c.s.v AS query`: whatever stands behind AS is the query. */
  protected readonly createSecureView = this.RULE('createSecureView', (): AdminStatement => {
    const orReplace = this.OPTION(() => {
      this.CONSUME(K.OR);
      this.CONSUME(K.REPLACE);
      return true;
    });
    this.CONSUME(K.SECURE);
    this.CONSUME(K.VIEW);
    const view = this.SUBRULE(this.view);
    this.CONSUME(K.AS);
    return { type: 'create-secure-view', orReplace: orReplace === true, view, query: this.SUBRULE(this.query) };
  });

  protected readonly dropSecureView = this.RULE('dropSecureView', (): AdminStatement => {
    this.CONSUME(K.SECURE);
    this.CONSUME(K.VIEW);
    const ifExists = this.SUBRULE(this.ifExists);
    return { type: 'drop-secure-view', ifExists, view: this.SUBRULE(this.view) };
  });

  /** A view by all three parts of its name. */
  protected readonly view = this.RULE('view', (): ViewRef => {
    const catalog = this.SUBRULE1(this.name);
    this.CONSUME1(Dot);
    const schema = this.SUBRULE2(this.name);
    this.CONSUME2(Dot);
    return { catalog, schema, name: this.SUBRULE3(this.name) };
  });

  /** Put together anew from its tokens, without comments. */
  protected readonly query = this.RULE('query', (): string => {
    const tokens: AdminToken[] = [];
    this.AT_LEAST_ONE(() => {
      this.OR([
        { ALT: () => void tokens.push(this.CONSUME(Part) as AdminToken) },
        {
          ALT: () => {
            const inner = this.SUBRULE(this.maybeBracketed);
            this.ACTION(() => tokens.push(...inner));
          },
        },
      ]);
    });
    return this.ACTION(() => render(tokens.map(({ payload }) => payload.token)));
  });
}
