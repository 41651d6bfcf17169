import { Command } from '@nestjs/cqrs';
import type { Caller } from '../auth';
import type { Mutated } from './mutated';

/** A command on one tenant: none can be written without saying which. */
export abstract class TenantCommand<T = void> extends Command<Mutated<T>> {
  constructor(
    /** The tenant, already within the caller's scope: see TenantScope. */
    readonly tenant: string,
    readonly caller: Caller,
  ) {
    super();
  }
}

/** A command on `$system`: tenants and superusers. */
export abstract class SystemWideCommand<T = void> extends Command<Mutated<T>> {
  constructor(readonly caller: Caller) {
    super();
  }
}
