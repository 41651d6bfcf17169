import { EffectiveSet } from '@gadwall/rbac';
import { boundExpression, Identity, Json, parameterised, quoteLiteral } from '@gadwall/rewriters';
import { LRUCache } from 'lru-cache';
import { EngineTask } from './engine-task';

/** Expressions of principals whose texts are kept. */
const MAX_TEXTS = 10_000;

/** The expressions of policies as the engine is given them: every token a literal, every function by its full name. */
export class PolicyTexts {
  private readonly texts = new LRUCache<string, string>({ max: MAX_TEXTS });

  /** @param relation the alias that every column is to be one of; null leaves columns unqualified */
  async of(
    task: EngineTask,
    expressions: readonly string[],
    set: EffectiveSet,
    digest: string,
    relation: string | null,
  ): Promise<string[]> {
    const texts: string[] = [];
    for (const expression of expressions) {
      const key = JSON.stringify([digest, relation, expression]);
      const text = this.texts.get(key) ?? (await written(task, expression, identityOf(set), relation));
      this.texts.set(key, text);
      texts.push(text);
    }
    return texts;
  }
}

function identityOf({ username, tenant, roles, groups }: EffectiveSet): Identity {
  return { user: username, tenant: tenant ?? '', roles, groups, claims: {}, attrs: {} };
}

async function written(
  task: EngineTask,
  expression: string,
  identity: Identity,
  relation: string | null,
): Promise<string> {
  const { sql } = parameterised(expression);
  const tree = JSON.parse(await value(task, `json_serialize_sql(${quoteLiteral(`SELECT ${sql}`)})`)) as Json;
  const bound = boundExpression(tree, identity, relation);
  const text = await value(task, `json_deserialize_sql(${quoteLiteral(JSON.stringify(bound))}::JSON)`);
  return text.slice('SELECT '.length);
}

async function value(task: EngineTask, call: string): Promise<string> {
  const [row] = await task.call((connection) => connection.rows(`SELECT ${call} AS value`));
  return String(row?.value);
}
