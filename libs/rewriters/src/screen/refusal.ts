import { RefusalRule } from '../description';

/** The codes with which the screen refuses; reference/api.md, "Errors". */
export type ScreenCode =
  'access_denied' | 'single_statement_required' | 'statement_too_large' | 'sql_error' | 'invalid_parameters';

/** Refused before any parser or binder of the engine has seen the text. */
export class ScreenRefusal extends Error {
  constructor(
    readonly code: ScreenCode,
    message: string,
    readonly rule: RefusalRule | null = null,
  ) {
    super(message);
  }
}
