import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port';

/** What becomes of bytes on their way; `to` says in which direction. */
export type Tamper = (bytes: Buffer, to: 'manager' | 'node') => Buffer;

const honest: Tamper = (bytes) => bytes;

/** Stands between nodes and a manager on the loopback, sees every byte, and may change it. */
export class WireTap {
  tamper: Tamper = honest;
  private readonly seen: Buffer[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(readonly managerPort: number) {
    this.server = createServer((node) => {
      const manager = connect(managerPort, '127.0.0.1');
      this.pass(node, manager, 'manager');
      this.pass(manager, node, 'node');
    });
  }

  static async start(): Promise<WireTap> {
    const tap = new WireTap(await freePort());
    await new Promise<void>((resolve) => tap.server.listen(0, '127.0.0.1', resolve));
    return tap;
  }

  /** For `ManagerConfig.internal`. */
  get internal(): { port: number; advertisedUrl: string } {
    const { port } = this.server.address() as AddressInfo;
    return { port: this.managerPort, advertisedUrl: `http://127.0.0.1:${port}` };
  }

  /** All that was said so far, both ways, before it was changed. */
  get said(): string {
    return Buffer.concat(this.seen).toString('latin1');
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private pass(from: Socket, on: Socket, to: 'manager' | 'node'): void {
    this.sockets.add(from);
    from.on('data', (bytes) => {
      this.seen.push(bytes);
      on.write(this.tamper(bytes, to));
    });
    from.on('error', () => on.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      on.destroy();
    });
  }
}
