import { schedule } from './schedule';
import { touch, type Touch } from './touch';
import type { RecordedEvent } from './event';

type Given = [type: string, touches: readonly Touch[] | 'alone'];

const make = (id: string): Given => ['made', [touch('changes', 'thing', id)]];
const use = (id: string, type = 'used'): Given => [type, [touch('needs', 'thing', id)]];
const change = (id: string): Given => ['changed', [touch('changes', 'thing', id)]];
const grant = (id: string): Given => ['granted', [touch('fills', 'set', 's'), touch('changes', 'grant', id)]];
const revoke = (id: string): Given => ['revoked', [touch('frees', 'set', 's'), touch('changes', 'grant', id)]];
const sweep: Given = ['swept', 'alone'];

/** The groups, each with the type and the places in the log of its events. */
function groupsOf(given: readonly Given[]): string[] {
  const events = given.map(([type], place) => ({ type, position: String(place) }) as RecordedEvent);
  const groups = schedule(events, (event) => given[Number(event.position)]?.[1] ?? 'alone');
  return groups.map((group) => `${group[0]?.type} ${group.map((event) => event.position).join()}`);
}

describe('schedule', () => {
  it.each<[string, Given[], string[]]>([
    ['nothing', [], []],
    ['what has nothing to do with each other', [make('a'), use('x'), make('b'), use('y')], ['made 0,2', 'used 1,3']],
    ['what is made, then used', [make('a'), use('a'), make('b'), use('b')], ['made 0,2', 'used 1,3']],
    ['what is used, then changed', [use('a'), change('a'), use('b'), change('b')], ['used 0,2', 'changed 1,3']],
    ['what is changed, then used', [use('a'), change('a'), use('a')], ['used 0', 'changed 1', 'used 2']],
    ['what is changed twice', [change('a'), change('a')], ['changed 0', 'changed 1']],
    ['two that use one thing', [make('a'), use('a'), use('a', 'seen'), use('a')], ['made 0', 'used 1,3', 'seen 2']],
    ['a removal of something old', [grant('b'), revoke('a'), grant('c')], ['granted 0', 'revoked 1', 'granted 2']],
    [
      'removals before additions that they may have made room for',
      [revoke('a'), grant('b'), revoke('c'), grant('d')],
      ['revoked 0,2', 'granted 1,3'],
    ],
    [
      'a removal of what was just added',
      [grant('a'), revoke('a'), grant('b')],
      ['granted 0', 'revoked 1', 'granted 2'],
    ],
    ['what stands alone', [use('a'), sweep, use('b'), use('a')], ['used 0', 'swept 1', 'used 2,3']],
  ])('groups %s', (_, given, groups) => {
    expect(groupsOf(given)).toEqual(groups);
  });
});
