import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Told, Trial } from './ground';

/** ms without a word of the process after which a statement is taken for one that does not end. */
const MAX_SILENCE = 60_000;

/** What came of a trial. */
export interface Result {
  /** Each with its statement. */
  faults: string[];
  outcomes: Record<string, number>;
  slowestMs: number;
}

/** Tries mutants in a process of its own, which may end as it will. `program`: the compiled worker. */
export async function tryMutants(
  program: string,
  trial: Omit<Trial, 'noteFile'>,
  silence = MAX_SILENCE,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'gadwall-fuzz-'));
  const [noteFile, trialFile] = [join(folder, 'statement'), join(folder, 'trial.json')];
  writeFileSync(noteFile, '');
  writeFileSync(trialFile, JSON.stringify({ ...trial, noteFile }));
  try {
    return await watched(program, trialFile, noteFile, silence);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function watched(program: string, trialFile: string, noteFile: string, silence: number): Promise<Result> {
  const child = fork(program, [trialFile], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '128' },
  });
  const result: Result = { faults: [], outcomes: {}, slowestMs: 0 };
  let [said, complaints] = [performance.now(), ''];
  let [over, silent] = [false, false];
  child.stderr?.on('data', (text) => (complaints += String(text)));
  child.on('message', (message) => {
    said = performance.now();
    const told = message as Told;
    if (told.kind === 'fault')
      result.faults.push(`${told.what}\nGADWALL_FUZZ_SEED=${told.seed}: ${JSON.stringify(told.sql)}`);
    if (told.kind !== 'end') return;
    over = true;
    Object.assign(result, { outcomes: told.outcomes, slowestMs: told.slowestMs });
  });
  const timer = setInterval(() => {
    silent = performance.now() - said > silence;
    if (silent) child.kill('SIGKILL');
  }, 1000);
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearInterval(timer);
      const how = silent ? 'no end' : `the process ended with ${String(code ?? signal)}: ${complaints.slice(-2000)}`;
      if (!over || code !== 0) result.faults.push(`${how}\nof ${JSON.stringify(readFileSync(noteFile, 'utf8'))}`);
      resolve(result);
    });
  });
}
