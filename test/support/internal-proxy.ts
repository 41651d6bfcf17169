import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { freePort } from './free-port';

/** What the proxy does with one line of the stream of versions: the lines that go on, now or later. */
export type Meddler = (line: string, pass: (line: string) => void) => void;

const honest: Meddler = (line, pass) => pass(line);

/** Stands between nodes and the routes of a manager for nodes, on the loopback. */
export class InternalProxy {
  /** What to do with the stream of versions. */
  meddle: Meddler = honest;
  private readonly sockets = new Set<Socket>();
  private readonly streams = new Set<ServerResponse>();
  private readonly server: Server;
  private cutting = false;
  private cuttingStream = false;

  private constructor(readonly managerPort: number) {
    this.server = createServer((from, to) => this.forward(from, to));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      if (this.cutting) socket.destroy();
    });
  }

  static async start(): Promise<InternalProxy> {
    const proxy = new InternalProxy(await freePort());
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** For `ManagerConfig.internal`. */
  get internal(): { port: number; advertisedUrl: string } {
    const { port } = this.server.address() as AddressInfo;
    return { port: this.managerPort, advertisedUrl: `http://127.0.0.1:${port}` };
  }

  /** Nothing goes through any more, what is under way neither. */
  cut(): void {
    this.cutting = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** The stream of versions breaks, and cannot be had again. */
  cutStream(): void {
    this.cuttingStream = true;
    this.breakStreams();
  }

  /** The streams under way break, once. */
  breakStreams(): void {
    for (const stream of this.streams) stream.destroy();
  }

  mend(): void {
    this.cutting = false;
    this.cuttingStream = false;
    this.meddle = honest;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward(from: IncomingMessage, to: ServerResponse): void {
    const follows = from.url?.endsWith('/follow') ?? false;
    if (follows && this.cuttingStream) return void to.destroy();
    const { method, url: path, headers } = from;
    const sent = request({ host: '127.0.0.1', port: this.managerPort, method, path, headers }, (answer) => {
      answer.on('error', () => to.destroy());
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      if (follows) this.stream(answer, to);
      else answer.pipe(to);
    });
    from.on('error', () => sent.destroy());
    sent.on('error', () => to.destroy());
    to.on('close', () => sent.destroy());
    from.pipe(sent);
  }

  private stream(answer: IncomingMessage, to: ServerResponse): void {
    this.streams.add(to);
    to.on('close', () => this.streams.delete(to));
    const pass = (line: string) => void to.write(`${line}\n`);
    createInterface({ input: answer })
      .on('line', (line) => (line === '' ? pass('') : this.meddle(line, pass)))
      .on('error', () => to.destroy())
      .on('close', () => to.end());
  }
}
