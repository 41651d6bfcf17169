import { CommitOrder } from './commit-order';

describe('CommitOrder', () => {
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  /** Places taken in order; each tells in `told` when it is its turn. */
  const take = (order: CommitOrder, told: string[], name: string, ...streams: string[]) => {
    const place = order.enter(streams);
    void place.before.then(() => told.push(name));
    return place;
  };

  it('lets a place wait for those before it in any of its streams', async () => {
    const order = new CommitOrder();
    const told: string[] = [];
    const a = take(order, told, 'a', 'acme');
    const b = take(order, told, 'b', 'globex');
    const both = take(order, told, 'both', 'acme', 'globex');
    await settle();
    expect(told).toEqual(['a', 'b']);
    b.leave();
    await settle();
    expect(told).toEqual(['a', 'b']);
    a.leave();
    await settle();
    expect(told).toEqual(['a', 'b', 'both']);
    both.leave();
  });

  it('does not let one overtake those before a place that was given up', async () => {
    const order = new CommitOrder();
    const told: string[] = [];
    const first = take(order, told, 'first', 'acme');
    const failed = take(order, told, 'failed', 'acme');
    take(order, told, 'third', 'acme').leave();
    failed.leave();
    await settle();
    expect(told).toEqual(['first']);
    first.leave();
    await settle();
    expect(told).toEqual(['first', 'failed', 'third']);
  });
});
