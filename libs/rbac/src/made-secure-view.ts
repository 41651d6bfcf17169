import { AccessDenied } from './access-denied';
import { DomainError } from './errors';
import type { MacroName, SecureView } from './model';
import type { SecureViewOutcome } from './node-protocol';

/**
 * The secure view that a node has made.
 *
 * @throws AccessDenied with the rule `secure-view` that its query breaks; DomainError `invalid_secure_view`
 */
export function madeSecureView(outcome: SecureViewOutcome, { catalog, schema, name }: MacroName): SecureView {
  switch (outcome.outcome) {
    case 'made':
      return outcome.view;
    case 'exists':
      throw new DomainError('secure_view_exists', { name: `${catalog}.${schema}.${name}` });
    case 'refused':
      throw new AccessDenied({ rule: 'secure-view', message: outcome.message, objects: [], hint: null });
    case 'invalid':
      throw new DomainError('invalid_secure_view', { detail: outcome.message });
  }
}
