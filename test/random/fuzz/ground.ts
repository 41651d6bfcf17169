import type { TablePermission } from '@gadwall/rbac';

/** A catalog that statements are tried on, with what must not come out of it. */
export interface Ground {
  catalogs: { name: string; readOnly: boolean }[];
  initSql: string;
  secrets: string[];
  /** The only grant of one of the users: of a table that holds no secret. */
  reads: TablePermission;
}

/** What the process that tries mutants is told. */
export interface Trial {
  grounds: Record<string, Ground>;
  corpus: { ground: string; sql: string }[];
  seed: number;
  count: number;
  /** Each statement is written here before it is tried. */
  noteFile: string;
  /** A fault planted on purpose. */
  plant: Plant | null;
}

export const PLANTS = {
  crash: 'ended',
  block: 'was held',
  hang: 'no end',
  leak: 'a secret',
  write: 'changed something',
} as const;

export type Plant = keyof typeof PLANTS;

/** What the process tells. */
export type Told =
  | { kind: 'progress'; done: number }
  | { kind: 'fault'; seed: number; what: string; sql: string }
  | { kind: 'end'; outcomes: Record<string, number>; slowestMs: number };
