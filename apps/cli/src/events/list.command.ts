import { listEvents, queryable, type EventFilter, type RecordedEvent } from '@gadwall/events';
import { withDatabase } from './with-database';

export async function listCommand({
  limit,
  json,
  ...filter
}: EventFilter & { limit: number; json?: boolean }): Promise<void> {
  await withDatabase(async (pool) => {
    for (const event of await listEvents(queryable(pool), filter, limit)) {
      process.stdout.write(`${json ? JSON.stringify(event) : line(event)}\n`);
    }
  });
}

function line(event: RecordedEvent): string {
  const actor = event.actor === null ? event.actorKind : `${event.actorKind}:${event.actor}`;
  return `${event.at.toISOString()}  ${event.stream}/${event.version}  ${event.type}  ${actor}  ${JSON.stringify(event.data)}`;
}
