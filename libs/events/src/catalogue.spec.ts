import { EventCatalogue } from './catalogue';

describe('EventCatalogue', () => {
  const catalogue = new EventCatalogue({
    plain: { schema: 1 },
    moved: {
      schema: 3,
      upcasters: {
        1: ({ name, ...rest }) => ({ ...rest, title: name }),
        2: (data) => ({ ...data, tags: [] }),
      },
    },
  });

  it('takes data through every step to the newest schema, and leaves the event that it was given', () => {
    const event = { type: 'moved', schema: 1, data: { name: 'a', kept: true } };
    expect(catalogue.upcast(event)).toEqual({
      type: 'moved',
      schema: 3,
      data: { title: 'a', kept: true, tags: [] },
    });
    expect(event).toEqual({ type: 'moved', schema: 1, data: { name: 'a', kept: true } });
    expect(catalogue.upcast({ ...event, schema: 2 }).data).toEqual({ name: 'a', kept: true, tags: [] });
  });

  it('gives an event in the newest schema back as it is', () => {
    const event = { type: 'plain', schema: 1, data: {} };
    expect(catalogue.upcast(event)).toBe(event);
  });

  it.each([
    ['an unknown type', { type: 'other', schema: 1, data: {} }],
    ['a name that every object has', { type: 'constructor', schema: 1, data: {} }],
    ['a schema of a newer build', { type: 'plain', schema: 2, data: {} }],
    ['no schema', { type: 'plain', schema: 0, data: {} }],
  ])('refuses %s', (_, event) => {
    expect(() => catalogue.upcast(event)).toThrow(expect.objectContaining({ code: 'unknown_event' }));
  });

  it('appends the newest schema only', () => {
    expect(() => catalogue.requireNewest({ type: 'moved', schema: 3 })).not.toThrow();
    expect(() => catalogue.requireNewest({ type: 'moved', schema: 2 })).toThrow('not in the catalogue');
  });

  it('is not made with a step missing', () => {
    expect(() => new EventCatalogue({ moved: { schema: 3, upcasters: { 1: (data) => data } } })).toThrow(
      'no upcaster from schema 2',
    );
  });
});
