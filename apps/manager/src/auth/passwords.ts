import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';

/** Hashes at work at once: each takes 19 MiB and a core for some 20 ms, and anyone may ask for one. */
const AT_ONCE = 4;

/** Password hashes: argon2id with the library's parameters (RFC 9106's second choice: 19 MiB, two passes). */
@Injectable()
export class Passwords implements OnModuleInit {
  /** Hash of nothing anyone knows, to spend the same work where there is no account. */
  private decoy = '';
  private working = 0;
  private readonly waiting: (() => void)[] = [];

  async onModuleInit(): Promise<void> {
    this.decoy = await this.hash(randomBytes(32).toString('hex'));
  }

  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(password));
  }

  /** True if the password is the one that was hashed; the same work whether there is a hash or not. */
  async matches(passwordHash: string | null, password: string): Promise<boolean> {
    const matched = await this.inTurn(() => verify(passwordHash ?? this.decoy, password));
    return matched && passwordHash !== null;
  }

  /** Runs `work` when fewer than the limit are at work; first come, first served. */
  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.working >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.working++;
    try {
      return await work();
    } finally {
      // The place goes to the next one in line, if there is one.
      const next = this.waiting.shift();
      if (next === undefined) this.working--;
      else next();
    }
  }
}
