import { type DuckDBConnection, DuckDBInstance, type DuckDBPreparedStatement } from '@duckdb/node-api';
import type { ExpressionParser, Json } from '@gadwall/rewriters';

/**
 * A DuckDB that holds nothing and can open nothing, for the texts of policies: they go to its parser as bound parameters,
 * one after another, and nothing of them is bound or run.
 */
export class PolicyParser implements ExpressionParser {
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
    private readonly own: { parse: DuckDBPreparedStatement; write: DuckDBPreparedStatement },
  ) {}

  static async open(): Promise<PolicyParser> {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: '1',
      memory_limit: '256MB',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
    });
    const connection = await instance.connect();
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    const own = {
      parse: await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)'),
      write: await connection.prepare('SELECT json_deserialize_sql($1::JSON)'),
    };
    return new PolicyParser(instance, connection, own);
  }

  async parse(sql: string): Promise<Json> {
    return JSON.parse(await this.ask(this.own.parse, sql)) as Json;
  }

  write(tree: Json): Promise<string> {
    return this.ask(this.own.write, JSON.stringify(tree));
  }

  /** One at a time: a prepared statement has one set of values. */
  private ask(statement: DuckDBPreparedStatement, text: string): Promise<string> {
    const answer = this.last.then(async () => {
      statement.bindVarchar(1, text);
      const [value] = (await statement.run()).getChunk(0).getColumnValues(0);
      return String(value);
    });
    this.last = answer.catch(() => undefined);
    return answer;
  }

  async close(): Promise<void> {
    await this.last;
    for (const statement of Object.values(this.own)) statement.destroySync();
    this.connection.disconnectSync();
    this.instance.closeSync();
  }
}
