import { EmbeddedActionsParser, type IToken } from 'chevrotain';
import { render } from '@gadwall/rewriters';
import type { HolderName, TableRef } from '../statement';
import { type AdminToken, Close, Comma, Dot, K, Name, Open, Part, Quoted, Star, Text, VOCABULARY } from './vocabulary';

/** A text that the grammar takes and the dialect does not, with where and why. */
export class Misplaced extends Error {
  constructor(
    readonly token: IToken,
    reason: string,
  ) {
    super(reason);
  }
}

/** What several statements are made of: names, tables, holders, expressions. */
export abstract class NamesGrammar extends EmbeddedActionsParser {
  protected constructor() {
    super(VOCABULARY, { maxLookahead: 3, recoveryEnabled: false });
  }

  protected readonly name = this.RULE('name', (): string => this.CONSUME(Name).image);

  /** Accounts are stored in Unicode's NFC. */
  protected readonly username = this.RULE('username', (): string => this.CONSUME(Name).image.normalize('NFC'));

  protected readonly names = this.RULE('names', (): string[] => {
    const names: string[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: Comma, DEF: () => names.push(this.SUBRULE(this.name)) });
    return names;
  });

  /** `[TABLE] ref`, 1 to 3 parts; what is missing in front is `*`. */
  protected readonly table = this.RULE('table', (): TableRef => {
    this.OPTION1({
      // `ON table.x`: a schema of that name.
      GATE: () => this.LA(2).tokenType !== Dot,
      DEF: () => this.CONSUME(K.TABLE),
    });
    const parts = [this.SUBRULE1(this.tablePart)];
    this.OPTION2(() => {
      this.CONSUME1(Dot);
      parts.push(this.SUBRULE2(this.tablePart));
      this.OPTION3(() => {
        this.CONSUME2(Dot);
        parts.push(this.SUBRULE3(this.tablePart));
      });
    });
    const [table = '*', schema = '*', catalog = '*'] = parts.reverse();
    return { catalog, schema, table };
  });

  protected readonly tablePart = this.RULE('tablePart', (): string => {
    const part = this.OR([{ ALT: () => this.CONSUME(Star) }, { ALT: () => this.CONSUME(Name) }]);
    return this.ACTION(() => {
      if (part.tokenType === Quoted && part.image === '*') {
        throw new Misplaced(part, 'a "*" in quotes is no wildcard: write * without quotes');
      }
      return part.image;
    });
  });

  protected readonly holder = this.RULE('holder', (): HolderName =>
    this.OR<HolderName>([
      { ALT: () => (this.CONSUME(K.USER), { kind: 'user', name: this.SUBRULE(this.username) }) },
      { ALT: () => (this.CONSUME(K.GROUP), { kind: 'group', name: this.SUBRULE(this.name) }) },
    ]),
  );

  protected readonly forRole = this.RULE('forRole', (): string => {
    this.CONSUME(K.FOR);
    this.CONSUME(K.ROLE);
    return this.SUBRULE(this.name);
  });

  protected readonly password = this.RULE('password', (): string => {
    this.OPTION(() => this.CONSUME(K.WITH));
    this.CONSUME(K.PASSWORD);
    return this.CONSUME(Text).image;
  });

  /** `USING (expression)`: the expression's text, made anew from its tokens. */
  protected readonly using = this.RULE('using', (): string => {
    this.CONSUME(K.USING);
    const tokens = this.SUBRULE(this.bracketed);
    return this.ACTION(() => {
      const commented = tokens.slice(1).find((token) => token.payload.commentBefore);
      if (commented !== undefined) throw new Misplaced(commented, 'a comment in a policy is refused');
      return render(tokens.slice(1, -1).map((token) => token.payload.token));
    });
  });

  protected readonly bracketed = this.RULE('bracketed', (): AdminToken[] => {
    const tokens = [this.CONSUME(Open) as AdminToken];
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
    tokens.push(this.CONSUME(Close) as AdminToken);
    return tokens;
  });

  /** Inside an expression brackets may be empty: `now()`. */
  protected readonly maybeBracketed = this.RULE('maybeBracketed', (): AdminToken[] => {
    const tokens = [this.CONSUME(Open) as AdminToken];
    this.MANY(() => {
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
    tokens.push(this.CONSUME(Close) as AdminToken);
    return tokens;
  });
}
