import { CannotGovern, type ColumnNames, governedReads, type Governing, quoteLiteral } from '@gadwall/rewriters';
import type { ReadPlace, Replacement, Token } from '@gadwall/rewriters';
import { EngineTask } from './engine-task';

/** As `governedReads`; the engine tells what it calls a column that has no name. @throws CannotGovern */
export function replacedReads(
  task: EngineTask,
  tokens: readonly Token[],
  places: readonly ReadPlace[],
  governing: Omit<Governing, 'names'>,
): Promise<Map<number, Replacement>> {
  return withColumnNames(task, (names) => governedReads(tokens, places, { ...governing, names }));
}

/** What `make` gives when it knows all names of columns that it asks for. @throws CannotGovern */
export async function withColumnNames<T>(task: EngineTask, make: (names: ColumnNames) => T): Promise<T> {
  const known = new Map<string, string>();
  for (;;) {
    const names: ColumnNames = { known, wanted: new Set() };
    const made = make(names);
    if (names.wanted.size === 0) return made;
    for (const text of names.wanted) known.set(text, await columnName(task, text));
  }
}

/** What the engine calls a column of this text: the expression as it writes it itself. */
async function columnName(task: EngineTask, text: string): Promise<string> {
  const tree = `json_serialize_sql(${quoteLiteral(`SELECT ${text}`)})`;
  const rows = await task
    .call((connection) => connection.rows(`SELECT json_deserialize_sql(${tree}) AS name`))
    .catch((error: unknown) => {
      if (task.stopReason) throw error;
      throw new CannotGovern('one of its columns cannot be named');
    });
  return String(rows[0]?.name).slice('SELECT '.length);
}
