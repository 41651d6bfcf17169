import { ShowsGrammar } from './shows.grammar';
import type { AdminStatement } from '../statement';
import { Semicolon } from './vocabulary';

/** The dialect's grammar; what a rule gives is the statement, or a part of it. Source: qod-api.md 1.8. */
export class AdminGrammar extends ShowsGrammar {
  constructor() {
    super();
    this.performSelfAnalysis();
  }

  readonly statement = this.RULE('statement', (): AdminStatement => {
    const statement = this.OR<AdminStatement>([
      { ALT: () => this.SUBRULE(this.create) },
      { ALT: () => this.SUBRULE(this.drop) },
      { ALT: () => this.SUBRULE(this.alter) },
      { ALT: () => this.SUBRULE(this.grant) },
      { ALT: () => this.SUBRULE(this.revoke) },
      { ALT: () => this.SUBRULE(this.show) },
    ]);
    this.OPTION(() => this.CONSUME(Semicolon));
    return statement;
  });
}
