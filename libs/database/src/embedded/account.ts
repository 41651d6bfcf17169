import { execFileSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** An account of the operating system. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * The account that the server runs as: null = ours. PostgreSQL refuses to run as root, so root gives it to `postgres`, else
 * `nobody`.
 */
export function serverAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  return accountOf('postgres') ?? accountOf('nobody') ?? { uid: 65534, gid: 65534 };
}

function accountOf(name: string): Account | null {
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}

/** Whether the account may pass through every folder from the root down to this existing one. */
export function canReach(account: Account | null, folder: string): boolean {
  if (account === null) return true;
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const search = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if (!(mode & search)) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * Makes sure that a folder is in nobody else's hands: owned by us, by root or, for root, by the owner of the folder that we
 * were started in (a project on a mount), and not writable by everyone.
 *
 * @throws if it is
 */
export function requireOwn(folder: string): void {
  const me = process.getuid?.();
  if (me === undefined) return; // no such thing as an owner's id on this system
  const { uid, mode } = statSync(folder);
  const trusted = uid === me || uid === 0 || (me === 0 && uid === statSync(process.cwd()).uid);
  if (!trusted) throw new Error(`${folder} belongs to another user (uid ${uid})`);
  if (mode & 0o002) throw new Error(`${folder} can be written by everyone: use a folder of your own`);
}
