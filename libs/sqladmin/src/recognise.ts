import { firstTokens } from '@gadwall/rewriters';

/** Words that a statement of the dialect begins with; deeper words follow the one they stand under. */
interface Beginnings {
  readonly [word: string]: Beginnings | true;
}

const POLICY: Beginnings = { policy: true };
const THINGS: Beginnings = { role: true, group: true, user: true, row: POLICY, column: POLICY, secure: { view: true } };

const BEGINNINGS: Beginnings = {
  grant: true,
  revoke: true,
  create: { ...THINGS, or: { replace: THINGS } },
  drop: THINGS,
  alter: { role: true, group: true, user: true },
  show: {
    roles: true,
    users: true,
    groups: true,
    grants: true,
    effective: { grants: true },
    row: { policies: true },
    column: { policies: true },
    pool: { grants: true },
  },
};

/** `CREATE OR REPLACE ROW POLICY` is the longest. */
const LONGEST = 5;

/** How far into a text the words are looked for, in UTF-16 units: anybody's statement passes here, and may be all comment. */
const HEAD = 65_536;

/**
 * Whether a text is one of the dialect's statements by its first words, complete and well formed or not: one that begins
 * as such is nobody else's to parse, for it may hold a password. Comments, blanks and quoting are what they are to the
 * screen: a quoted word is a name, so `SHOW "users"` is not of the dialect. Costs the same however long the text is; one
 * whose words stand behind more than 64 KB of comments is none, and the engine's to refuse.
 */
export function isAdministration(text: string): boolean {
  let under: Beginnings = BEGINNINGS;
  for (const token of firstTokens(text.slice(0, HEAD), LONGEST)) {
    if (token.type !== 'word' || !Object.hasOwn(under, token.value)) return false;
    const next = under[token.value] as Beginnings | true;
    if (next === true) return true;
    under = next;
  }
  return false;
}
