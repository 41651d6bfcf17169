import { createServer, type AddressInfo } from 'node:net';

/** A port of the loopback: the wanted one if it is free, else any. */
export async function choosePort(wanted: number): Promise<number> {
  try {
    return await tryPort(wanted);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    return tryPort(0);
  }
}

function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}
