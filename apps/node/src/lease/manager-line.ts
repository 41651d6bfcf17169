import type { Readable } from 'node:stream';
import { Agent, type buildConnector, request } from 'undici';

/** A manager that answers with an error. */
export class ManagerRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`the manager answered ${status} ${code}`);
  }
}

/** The routes of a manager for nodes. */
export class ManagerLine {
  private readonly dispatcher: Agent;

  /** @param connect see libs/link, `connectorTo` */
  constructor(
    private readonly url: string,
    connect?: buildConnector.connector,
  ) {
    this.dispatcher = new Agent({ connect });
  }

  /**
   * One request with an answer in JSON, or none.
   * @throws ManagerRefusal; an error when there is no answer in time
   */
  async ask(path: string, body: unknown, timeoutMs: number): Promise<unknown> {
    const answer = await this.post(path, body, AbortSignal.timeout(timeoutMs));
    const text = await answer.text();
    return text === '' ? null : (JSON.parse(text) as unknown);
  }

  /** One request whose answer goes on until the signal ends it. @throws ManagerRefusal; an error of the network */
  async open(path: string, body: unknown, signal: AbortSignal): Promise<Readable> {
    return this.post(path, body, signal);
  }

  private async post(path: string, body: unknown, signal: AbortSignal) {
    const answer = await request(`${this.url}${path}`, {
      dispatcher: this.dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
      bodyTimeout: 0,
    });
    if (answer.statusCode < 300) return answer.body;
    const { error } = (await answer.body.json().catch(() => ({}))) as { error?: string };
    throw new ManagerRefusal(answer.statusCode, error ?? 'unknown');
  }
}
