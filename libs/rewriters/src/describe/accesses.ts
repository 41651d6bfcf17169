import { tableKey } from '../catalog';
import { Access, ObjectAccess, ObjectName } from '../description';
import { fold } from '../lexer';
import { MacroClosure, ViewClosure } from './closures';
import { isSecured } from './is-secured';
import { NamedObject, SessionCatalog } from './named-tables';

/** What is known of a statement's names before anything is bound. */
interface Names {
  catalog: SessionCatalog;
  named: NamedObject[];
  closures: ViewClosure[];
  macros: MacroClosure[];
}

/** Collects accesses, one entry an object and access, columns united. */
export class Accesses {
  private readonly byKey = new Map<string, ObjectAccess>();
  private readonly direct: Set<string>;
  private readonly written = new Map<string, ObjectAccess['written']>();
  private readonly writes = new Set<string>();

  constructor(private readonly names: Names) {
    const direct = names.named.filter(({ found }) => !this.standsForBases(found));
    this.direct = new Set(direct.flatMap(({ means }) => means.map(tableKey)));
    for (const { means, written, missing } of [...names.named].reverse()) {
      means.forEach((name, i) => this.written.set(tableKey(name), missing ? written.slice(i, i + 1) : written));
    }
  }

  add(name: ObjectName, what: Pick<ObjectAccess, 'kind' | 'access' | 'columns'>, missing = false): void {
    const object = this.complete(name);
    const place = tableKey(object);
    const { kind, access, columns } = what;
    if (access === 'insert' || access === 'update' || access === 'delete') this.writes.add(place);
    const key = `${place}\0${access}`;
    const known = this.byKey.get(key);
    if (known) {
      if (columns.length > 0) known.columns = [...new Set([...known.columns, ...columns])];
      return;
    }
    const via = access === 'read' ? this.viewsOver(place) : [];
    const [leading] = via;
    this.byKey.set(key, {
      catalog: object.catalog,
      schema: object.schema,
      name: object.name,
      kind,
      access,
      columns: [...new Set(columns)],
      temporary: fold(object.catalog) === 'temp',
      via,
      written: this.writtenFor(leading ? tableKey(leading) : place, access),
      missing,
    });
  }

  /** DROP IF EXISTS of nothing, and DROP SCHEMA, name less than three parts. */
  private complete(object: ObjectName): ObjectName {
    const { catalog, schema, name } = object;
    if (catalog !== '' && schema !== '') return object;
    const defaults = this.names.catalog.path[0] ?? { catalog: '', schema: 'main' };
    return { catalog: catalog || defaults.catalog, schema: schema || defaults.schema, name };
  }

  /** What leads to a place, or to the view over it: a name in the statement, else the macros that it calls. */
  private writtenFor(place: string, access: Access): ObjectAccess['written'] {
    const written = this.written.get(place);
    if (written || access !== 'read') return written ?? [];
    const { macros } = this.names;
    const over = macros.filter((closure) => closure.bases.has(place));
    // As with views: any macro of the statement stands for what no closure tells.
    return (over.length > 0 ? over : macros).flatMap((closure) =>
      closure.macros.map(({ catalog, schema, name }) => ({ catalog, schema, name, kind: 'macro' as const })),
    );
  }

  private viewsOver(place: string): ObjectName[] {
    if (this.direct.has(place)) return [];
    const over = this.names.closures.filter((closure) => closure.bases.has(place));
    // A table under a view that the closure does not tell is named by no refusal: any view of the statement stands for it.
    const views = over.length > 0 || this.names.macros.length > 0 ? over : this.names.closures;
    return views.map(({ view }) => ({ catalog: view.catalog, schema: view.schema, name: view.name }));
  }

  /** What is read of a plain view are its bases; a secure view is an object by itself. */
  private standsForBases(found: NamedObject['found']): boolean {
    if (!found) return false;
    return found.internal || (found.kind === 'view' && !isSecured(found, this.names.catalog));
  }

  /** Whether a name in the statement leads to what is read at a place. */
  isLedTo(name: ObjectName): boolean {
    const place = tableKey(this.complete(name));
    const { closures, macros } = this.names;
    return this.direct.has(place) || [...closures, ...macros].some(({ bases }) => bases.has(place));
  }

  addNamed(named: readonly NamedObject[], bound: boolean): void {
    for (const { found, means, missing, kind, access } of named) {
      const reads = access === 'read';
      if (reads && this.standsForBases(found)) continue;
      if (bound && found && this.writes.has(tableKey(found))) continue;
      for (const name of means) this.add(name, { kind: found?.kind ?? kind, access, columns: [] }, missing);
    }
    for (const { bases } of this.names.closures) {
      for (const base of bases.values()) this.add(base, { kind: base.kind, access: 'read', columns: [] });
    }
    for (const { bases } of this.names.macros) {
      for (const { kind, missing, ...base } of bases.values()) {
        this.add(base, { kind, access: 'read', columns: [] }, missing);
      }
    }
  }

  /** The scan of its own target that every UPDATE and DELETE has is no read of the user's: no column of it is used. */
  list(bound: boolean): ObjectAccess[] {
    return [...this.byKey.values()].filter(
      (object) =>
        !(
          bound &&
          object.access === 'read' &&
          this.writes.has(tableKey(object)) &&
          object.columns.every((c) => c === 'rowid')
        ),
    );
  }
}
