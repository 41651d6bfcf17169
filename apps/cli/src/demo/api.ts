/** An answer of the SQL door. */
export interface SqlAnswer {
  status: number;
  body: { error?: string; message?: string; rowCount?: number; affected?: number | null; rows?: unknown[][] };
  /** From the request to the last byte of the answer. */
  ms: number;
}

/** One caller's way to the manager's REST API. */
export class Api {
  constructor(
    readonly url: string,
    /** Ends what is under way when the demo is interrupted. */
    private readonly signal: AbortSignal,
    private readonly token: string | null = null,
  ) {}

  /** The same API as somebody. @throws if the password is not theirs */
  async login(username: string, password: string, tenant: string | null): Promise<Api> {
    const { token } = await this.post<{ token: string }>('/api/auth/login', { username, password, tenant });
    return new Api(this.url, this.signal, token);
  }

  /** The body of a call that must succeed. @throws Error with the answer's code and message */
  async post<T = unknown>(path: string, body: unknown): Promise<T> {
    const answer = await this.send(path, body);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Runs one statement; a refusal is an answer too. */
  async sql(tenant: string, pool: string, sql: string): Promise<SqlAnswer> {
    const start = performance.now();
    const answer = await this.send('/api/sql', { tenant, pool, sql });
    const body = (await answer.json()) as SqlAnswer['body'];
    return { status: answer.status, body, ms: performance.now() - start };
  }

  /** Whether the manager serves. */
  async ready(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/ready`, { signal: this.signal })).ok;
    } catch {
      return false;
    }
  }

  private send(path: string, body: unknown): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(this.token === null ? {} : { 'X-API-Key': this.token }) },
      body: JSON.stringify(body),
      signal: this.signal,
    });
  }
}
