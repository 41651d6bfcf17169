import { Client } from 'pg';
import type { EventEmitter } from 'node:events';
import type { ClientConfig } from 'pg';
import type { Socket } from 'node:net';

/**
 * A client that talks to nobody who has not proved, by SCRAM, to know the password's verifier. Otherwise a program that took
 * the port of a server that has ended could ask for the password in clear text, or pose as the server.
 */
export class ScramClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    // Listens before the client does: a socket that is closed here sends nothing more.
    const { connection } = this as unknown as { connection: EventEmitter & { stream: Socket } };
    let proved = false;
    const refuse = () => connection.stream.destroy(new Error('the server does not authenticate itself by SCRAM'));
    connection.on('authenticationCleartextPassword', refuse);
    connection.on('authenticationMD5Password', refuse);
    connection.on('authenticationSASLFinal', () => (proved = true));
    connection.on('authenticationOk', () => proved || refuse());
  }
}
