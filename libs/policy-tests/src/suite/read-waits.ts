import { readYaml } from '../source';

/** Reasons to wait by the ids of cases, from a file that is a map of them. @throws FileFault */
export function readWaits(file: string): ReadonlyMap<string, string> {
  const waits = readYaml(file)
    .entries('a file of waits')
    .map(([id, reason]): [string, string] => [id, reason.text(`the reason for which ${id} waits`)]);
  return new Map(waits);
}
