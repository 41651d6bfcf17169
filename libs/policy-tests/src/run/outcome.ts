import { AccessDenied, DomainError, type RefusedObject } from '@gadwall/rbac';
import type { JsonValue } from '@gadwall/engine';
import type { ObjectAccess } from '@gadwall/rewriters';

/** What came of a statement, as its principal saw it. */
export type Outcome = Answer | Denied | Failed | Broken;

export interface Answer {
  kind: 'answer';
  columns: { name: string; type: string }[];
  /** Values as the SQL door writes them in JSON. */
  rows: JsonValue[][];
  /** Rows changed; null for a statement that changes none. */
  affected: number | null;
  /** What the statement was described to touch. */
  objects: readonly ObjectAccess[];
}

/** Refused by Gadwall: by the screen, or at a gate. */
export interface Denied {
  kind: 'denied';
  code: string;
  message: string;
  hint: string | null;
  rule: string | null;
  objects: readonly RefusedObject[];
  /** The screen could not read the text: a syntax error, whoever finds it. */
  unreadable: boolean;
}

/** Failed in the engine. */
export interface Failed {
  kind: 'error';
  code: string;
  message: string;
}

/** A fault of Gadwall's own, or more than is kept of an answer: no expectation holds of it. */
export interface Broken {
  kind: 'broken';
  message: string;
}

const ENGINE_ERRORS: readonly string[] = ['sql_error', 'transaction_failed', 'statement_timeout', 'cancelled'];

export function outcomeOfError(error: unknown): Denied | Failed | Broken {
  if (!(error instanceof DomainError) || error.reason === 'internal') {
    return { kind: 'broken', message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message, reason } = error;
  if (ENGINE_ERRORS.includes(reason)) return { kind: 'error', code, message };
  const { rule = null, objects = [] } = error instanceof AccessDenied ? error : {};
  return {
    kind: 'denied',
    code,
    message,
    hint: error.hint ?? null,
    rule,
    objects,
    unreadable: reason === 'unreadable_statement',
  };
}
