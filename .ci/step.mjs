// Runs one command of CI: shows and keeps what it prints, as another user if told so, and ends it when it takes too long.
// What came of it goes to a folder of the step's own, which the command knows as CI_STEP_DIR.
import { spawn } from 'node:child_process';
import { chownSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    results: { type: 'string' },
    name: { type: 'string' },
    minutes: { type: 'string' },
    user: { type: 'string' },
    home: { type: 'string' },
    cwd: { type: 'string' },
  },
});
const [uid, gid] = values.user?.split(':').map(Number) ?? [];
const folder = join(values.results, values.name);
const [command, ...args] = positionals;
const start = Date.now();

mkdirSync(folder);
if (uid !== undefined) chownSync(folder, uid, gid);
console.log(`\n== ${values.name}: ${positionals.join(' ')}`);

const log = createWriteStream(join(folder, 'output.log'));
const child = spawn(command, args, {
  uid,
  gid,
  cwd: values.cwd,
  env: { ...process.env, CI_STEP_DIR: folder, ...(values.home && ordinaryEnvironment(values.home)) },
  // A group of its own, to be ended as a whole.
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
});
for (const stream of [child.stdout, child.stderr]) {
  stream.on('data', (chunk) => {
    process.stdout.write(chunk);
    log.write(chunk);
  });
}
const late = setTimeout(() => end(`takes more than ${values.minutes} minutes`), Number(values.minutes) * 60_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(`got ${signal}`));

child.on('error', (error) => finish(error.message));
child.on('exit', (code, signal) => {
  if (!signalGroup(0)) return finish(signal ?? code);
  signalGroup('SIGKILL');
  finish('processes left behind');
});

function ordinaryEnvironment(home) {
  return { HOME: home, USER: 'nobody', LOGNAME: 'nobody', npm_config_cache: join(home, '.npm') };
}

function end(reason) {
  console.log(`== ${values.name}: ${reason}, and is ended`);
  signalGroup('SIGTERM');
  setTimeout(() => signalGroup('SIGKILL'), 10_000).unref();
}

/** False if nobody is left in the group. */
function signalGroup(signal) {
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

function finish(outcome) {
  clearTimeout(late);
  const seconds = Math.round((Date.now() - start) / 1000);
  writeFileSync(
    join(folder, 'step.json'),
    JSON.stringify({ outcome, seconds, start, cwd: values.cwd ?? process.cwd() }),
  );
  console.log(`== ${values.name}: ${outcome === 0 ? 'done' : `FAILED (${outcome})`} after ${seconds} s`);
  // What is still in the pipes.
  setTimeout(() => log.end(() => process.exit(outcome === 0 ? 0 : 1)), 500);
}
