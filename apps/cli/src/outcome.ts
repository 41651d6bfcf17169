/** How a command ended: the exit code of the process. */
export const EXIT = {
  /** Done, and nothing is wrong. */
  clean: 0,
  /** Done, and what was looked at is not as it should be. */
  faulty: 1,
  /** Not done: asked for wrongly, or what it needs is not there. */
  usage: 2,
} as const;

/** A command cannot be carried out for a reason that its user can mend. */
export class UsageError extends Error {}
