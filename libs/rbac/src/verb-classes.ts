import type { Access } from '@gadwall/rewriters';
import type { AccessClass, Verb } from './model';

const CLASS_OF: Readonly<Record<Access, AccessClass>> = {
  read: 'Read',
  insert: 'Write',
  update: 'Write',
  delete: 'Write',
  create: 'Ddl',
  drop: 'Ddl',
  alter: 'Ddl',
};

/** The class that an access is judged as. Source: seed 000, "Verbs". */
export function classOfAccess(access: Access): AccessClass {
  return CLASS_OF[access];
}

const CLASSES_OF: Readonly<Record<Verb, readonly AccessClass[]>> = {
  RO: ['Read'],
  RW: ['Read', 'Write'],
  DDL: ['Ddl'],
  ALL: ['Read', 'Write', 'Ddl'],
};

/** The classes that a grant covers. Source: seed 000, "Verbs". */
export function classesOfVerb(verb: Verb): readonly AccessClass[] {
  return CLASSES_OF[verb];
}
