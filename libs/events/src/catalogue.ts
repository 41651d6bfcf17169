import { UnknownEvent } from './errors';

type Data = Record<string, unknown>;

/** One event type. */
export interface EventTypeDefinition {
  /** Newest version of the shape of its data: the only one that is appended. */
  schema: number;
  /** `upcasters[n]` makes data of schema n + 1 of data of schema n. Pure: old events are read through it for ever. */
  upcasters?: Readonly<Record<number, (data: Readonly<Data>) => Data>>;
}

/** The event types of this build. */
export class EventCatalogue {
  private readonly types: ReadonlyMap<string, EventTypeDefinition>;

  /** @throws if a step from schema 1 to the newest is missing */
  constructor(types: Readonly<Record<string, EventTypeDefinition>>) {
    this.types = new Map(Object.entries(types));
    for (const [type, { schema, upcasters = {} }] of this.types) {
      for (let from = 1; from < schema; from++) {
        if (!upcasters[from]) throw new Error(`event type ${type} has no upcaster from schema ${from}`);
      }
    }
  }

  /** @throws UnknownEvent unless it is of a known type and of its newest schema */
  requireNewest(event: { type: string; schema: number }): void {
    if (this.types.get(event.type)?.schema !== event.schema) throw new UnknownEvent(event.type, event.schema);
  }

  /**
   * The event with its data in the newest schema.
   * @throws UnknownEvent if it is of an unknown type or of a schema newer than this build's
   */
  upcast<E extends { type: string; schema: number; data: Data }>(event: E): E {
    const definition = this.types.get(event.type);
    if (!definition || event.schema < 1 || event.schema > definition.schema) {
      throw new UnknownEvent(event.type, event.schema);
    }
    if (event.schema === definition.schema) return event;
    let { data } = event;
    for (let from = event.schema; from < definition.schema; from++) {
      const step = definition.upcasters?.[from];
      if (!step) throw new UnknownEvent(event.type, event.schema);
      data = step(data);
    }
    return { ...event, schema: definition.schema, data };
  }
}
