/** The stream has moved past the version that the caller based its change on. */
export class VersionConflict extends Error {
  readonly code = 'version_conflict';

  constructor(
    readonly stream: string,
    readonly expected: number,
    readonly actual: number,
  ) {
    super(`stream ${stream} is at version ${actual}, not ${expected}`);
  }
}

/** An event of a type, or of a newer schema of it, that this build does not know. */
export class UnknownEvent extends Error {
  readonly code = 'unknown_event';

  constructor(
    readonly type: string,
    readonly schema: number,
  ) {
    super(`event type ${type} with schema ${schema} is not in the catalogue`);
  }
}

/** An event that a replay could not apply; `cause` says why. */
export class ReplayError extends Error {
  readonly code = 'replay_failed';

  constructor(
    readonly stream: string,
    readonly version: number,
    readonly type: string,
    cause: unknown,
  ) {
    super(
      `${type}, version ${version} of stream ${stream}: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
      },
    );
  }
}
