import { foldName } from '../fold';

const MAXIMUM = 255;

/** True for a name that an entity may bear: printable, not blank, no blanks around it, at most 255 characters. */
export function isName(name: string): boolean {
  return name.length > 0 && name.length <= MAXIMUM && name.trim() === name && !/\p{C}/u.test(name);
}

/** Names of a kind are one whatever their case. */
export function sameName(a: string, b: string): boolean {
  return foldName(a) === foldName(b);
}
