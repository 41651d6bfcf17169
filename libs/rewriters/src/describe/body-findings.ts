import { QueryNames } from '../ast';
import { tableKey, UserMacro } from '../catalog';
import { classOfFunction, type FunctionPosition, functionFinding, notClassified } from '../classification';
import { Finding, ObjectName } from '../description';
import { fold } from '../lexer';
import { SessionCatalog } from './named-tables';

/**
 * The macros of users that a call by this name may mean; empty where there is none. A macro stands before the engine's
 * function of its name, and which of several is meant hangs on the search path: all of them count.
 */
export function macrosCalled(name: string, { snapshot }: SessionCatalog): readonly UserMacro[] {
  return snapshot.macros.size === 0 ? [] : (snapshot.macros.get(fold(name)) ?? []);
}

/** Whether a call by this name may be judged by what it stands for: every macro that it may mean is admitted. */
export function areAdmitted(macros: readonly ObjectName[], { admitted }: SessionCatalog): boolean {
  return macros.every((macro) => admitted.has(tableKey(macro)));
}

/**
 * What a call of admitted macros leaves open: a default of a parameter, which no text tells.
 *
 * @param given how many arguments it has; 0 where that is not known
 */
export function defaultFinding(name: string, macros: readonly UserMacro[], given: number): Finding | null {
  const open = macros.some(
    ({ defaults, overloads }) => defaults && overloads.some(({ parameters }) => parameters.length > given),
  );
  const message = `the macro ${name} has defaults, which are not described: give a value for each of its parameters`;
  return open ? { rule: 'function', message, bindsSuperusers: false } : null;
}

/**
 * Why a call by this name is refused to a tenant user, or null. Source: seed 000, "Functions, settings and statement
 * types".
 *
 * @param given how many arguments it has; 0 where that is not known
 */
export function callFinding(
  name: string,
  position: FunctionPosition,
  given: number,
  catalog: SessionCatalog,
): Finding | null {
  const macros = macrosCalled(name, catalog);
  if (macros.length === 0) return functionFinding(name, position);
  if (!areAdmitted(macros, catalog)) return notClassified(name);
  const open = defaultFinding(name, macros, given);
  if (open) return open;
  // Where the search path does not lead to the macro, the engine's function of its name is called.
  return classOfFunction(name, position) === undefined ? null : functionFinding(name, position);
}

/** The names that a query text calls and that may be macros: `system.main.f` is the engine's own. */
export function callsOf({ functions }: QueryNames): string[] {
  return functions.filter(({ catalog }) => fold(catalog) !== 'system').map(({ name }) => name);
}

/** What a query text calls that no tenant user may call. */
export function bodyFindings(names: QueryNames, catalog: SessionCatalog): Finding[] {
  const findings: Finding[] = [];
  for (const called of names.functions) {
    const { name, position } = called;
    const qualified = fold(called.catalog) === 'system';
    const dynamic = position === 'table' && classOfFunction(name, 'table') === 'dynamic';
    if (dynamic && (qualified || areAdmitted(macrosCalled(name, catalog), catalog))) continue;
    const found = qualified ? functionFinding(name, position) : callFinding(name, position, called.arguments, catalog);
    if (found) findings.push(found);
  }
  for (const what of names.unsupported) {
    findings.push({
      rule: what.startsWith('SHOW') ? 'listing' : 'not-described',
      message: `statement uses ${what}, which is not supported`,
      bindsSuperusers: false,
    });
  }
  if (names.timeTravel) {
    findings.push({
      rule: 'not-described',
      message: 'statement uses AT (an earlier snapshot), which is not supported',
      bindsSuperusers: false,
    });
  }
  return findings;
}
