import { Finding } from '../description';
import { fold } from '../lexer';
import functions from './functions.json';
import planOperators from './plan-operators.json';
import pragmas from './pragmas.json';
import settings from './settings.json';
import tableFunctions from './table-functions.json';
import types from './types.json';

/**
 * Every function, operator, macro, table function, pragma and setting of the pinned engine has a class; what has none is
 * refused. `classification.spec.ts` reads the engine's own lists and fails on a name that is missing here.
 *
 * - pure: depends on its arguments only
 * - volatile: time or chance
 * - session: tells of the caller's own session
 * - sequence, setting, listing, file: named after what it reaches
 * - answered: a listing that is answered by what is granted (govern/listings.ts)
 * - dynamic: takes SQL as text
 * - engine: appears in plans only
 * - refused: has an effect, or shows what no grant covers
 */
export type FunctionClass =
  | 'pure'
  | 'volatile'
  | 'session'
  | 'sequence'
  | 'setting'
  | 'listing'
  | 'answered'
  | 'file'
  | 'dynamic'
  | 'engine'
  | 'refused';

/** session: a tenant user may set it for the own session; node: superusers; frozen: nobody, once a node has started. */
export type SettingClass = 'session' | 'node' | 'frozen';

const scalarClasses = new Map(Object.entries(functions as Record<string, FunctionClass>));
const tableClasses = new Map(Object.entries(tableFunctions as Record<string, FunctionClass>));
const settingClasses = new Map(
  Object.entries(settings as Record<string, SettingClass>).map(([name, value]) => [fold(name), value]),
);
const pragmaClasses = new Map(Object.entries(pragmas as Record<string, 'listing' | 'refused'>));

const operatorClasses = new Map(Object.entries(planOperators as Record<string, 'read' | 'change' | 'refused'>));

/** Operators of the bound plan: an unknown one, and a refused one, means that the plan is not described. */
export function isDescribableOperator(type: string): boolean {
  const found = operatorClasses.get(type);
  return found === 'read' || found === 'change';
}

const EXPRESSION_CLASSES = new Set(
  `BOUND_AGGREGATE BOUND_BETWEEN BOUND_CASE BOUND_CAST BOUND_COLUMN_REF BOUND_COMPARISON BOUND_CONJUNCTION BOUND_CONSTANT
  BOUND_DEFAULT BOUND_FUNCTION BOUND_LAMBDA BOUND_LAMBDA_REF BOUND_OPERATOR BOUND_REF BOUND_UNNEST
  BOUND_WINDOW`.split(/\s+/),
);

export function isDescribableExpression(expressionClass: string): boolean {
  return EXPRESSION_CLASSES.has(expressionClass);
}

const engineTypes = new Set(types.map(fold));
/**
 * Types whose values no tenant user makes: the cast of a deep JSON text to VARIANT recurses until the process ends, and that
 * of a text to BIGNUM takes the square of its length, uninterrupted.
 */
const refusedTypes = new Set(['variant', 'bignum', 'varint']);

/** A type that the engine has by itself. */
export function isEngineType(name: string): boolean {
  return engineTypes.has(fold(name));
}

/** A type of the engine that any statement may name. */
export function isBuiltInType(name: string): boolean {
  return isEngineType(name) && !refusedTypes.has(fold(name));
}

/** Why a type is refused to a tenant user, or null. */
export function typeFinding(name: string): Finding | null {
  return refusedTypes.has(fold(name)) ? refuse('function', `type ${name} is not available to tenant users`) : null;
}

export type FunctionPosition = 'scalar' | 'table';

export function classOfFunction(name: string, position: FunctionPosition): FunctionClass | undefined {
  const folded = fold(name);
  const [first, second] = position === 'table' ? [tableClasses, scalarClasses] : [scalarClasses, tableClasses];
  return first.get(folded) ?? second.get(folded);
}

export function classOfSetting(name: string): SettingClass | undefined {
  return settingClasses.get(fold(name));
}

export function classOfPragma(name: string): 'listing' | 'refused' | undefined {
  return pragmaClasses.get(fold(name));
}

/** Why a call of this name is refused to a tenant user, or null. Source: seed 000, "Functions, settings and statement types". */
export function functionFinding(name: string, position: FunctionPosition): Finding | null {
  const found = classOfFunction(name, position);
  switch (found) {
    case 'pure':
    case 'volatile':
    case 'session':
    case 'answered':
      return null;
    case undefined:
      return notClassified(name);
    case 'listing':
      return refuse('listing', `${name}() lists objects or shows internals that no grant covers`);
    case 'file':
      return refuse('file', `${name}() reads files; no location is authorized`);
    case 'setting':
      return refuse('setting', `function ${name} reads settings of the node`);
    case 'dynamic':
      // It parses SQL that nothing has screened, and a PRAGMA in that ends the instance: no superuser's business either.
      return { ...refuse('function', `function ${name} is not available`), bindsSuperusers: position === 'scalar' };
    case 'sequence':
    case 'engine':
    case 'refused':
      return refuse('function', `function ${name} is not available to tenant users`);
  }
}

/** A function that nobody knows, a macro that is not admitted: in the same words. */
export function notClassified(name: string): Finding {
  return { ...refuse('function', `function ${name} is not classified`), unclassified: name };
}

function refuse(rule: Finding['rule'], message: string): Finding {
  return { rule, message, bindsSuperusers: false };
}
