import { DomainError } from './errors';
import type { Refusal, RefusedObject } from './verdict';

/** A statement refused by gate 2, with what the doors show of it (reference/api.md, "Errors"). */
export class AccessDenied extends DomainError {
  readonly rule: Refusal['rule'];
  readonly objects: readonly RefusedObject[];
  override readonly hint: string | undefined;

  constructor(refusal: Omit<Refusal, 'allow'>) {
    super('access_denied', { detail: refusal.message });
    this.rule = refusal.rule;
    this.objects = refusal.objects;
    this.hint = refusal.hint ?? undefined;
  }
}
