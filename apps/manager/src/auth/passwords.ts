import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';

/** Password hashes: argon2id with the library's parameters (RFC 9106's second choice: 19 MiB, two passes). */
@Injectable()
export class Passwords implements OnModuleInit {
  /** Hash of nothing anyone knows, to spend the same work where there is no account. */
  private decoy = '';

  async onModuleInit(): Promise<void> {
    this.decoy = await this.hash(randomBytes(32).toString('hex'));
  }

  hash(password: string): Promise<string> {
    return hash(password);
  }

  /** True if the password is the one that was hashed; the same work whether there is a hash or not. */
  async matches(passwordHash: string | null, password: string): Promise<boolean> {
    const matched = await verify(passwordHash ?? this.decoy, password);
    return matched && passwordHash !== null;
  }
}
