import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { type Compiled, compile } from '../support/compiled';
import { corpusOf } from './fuzz/corpus';
import { type Plant, PLANTS } from './fuzz/ground';
import { tryMutants } from './fuzz/trial';

const MUTANTS = Number(process.env.GADWALL_SOAK_MUTANTS ?? 10_000);
/** Others at each run; a run is had again with the seed that it prints, one mutant with its own and GADWALL_SOAK_MUTANTS=1. */
const SEED = Number(process.env.GADWALL_FUZZ_SEED ?? randomInt(1_000_000_000));
/** The corpus is the same at each run. */
const CORPUS_SEED = 1;
const PATIENCE_MS = 120_000 + 60 * MUTANTS;
/** ms of silence after which a planted hang is taken for one. */
const SILENCE_OF_PLANT = 10_000;

let compiled: Compiled;
let program: string;
beforeAll(() => {
  compiled = compile('libs', 'test/support', 'test/model', 'test/random');
  program = join(compiled.path, 'test/random/fuzz/worker.js');
}, 120_000);
afterAll(() => compiled.remove());

const corpus = corpusOf(CORPUS_SEED);

test(
  'mutated statements are refused, or touch nothing; none ends the node, holds its thread or has no end',
  async () => {
    process.stdout.write(`${MUTANTS} mutants from GADWALL_FUZZ_SEED=${SEED}\n`);
    const { faults, outcomes, slowestMs } = await tryMutants(program, {
      ...corpus,
      seed: SEED,
      count: MUTANTS,
      plant: null,
    });
    process.stdout.write(`${JSON.stringify(outcomes)}, the slowest in ${slowestMs.toFixed(0)} ms\n`);
    expect(faults).toEqual([]);
    // Mutants that are no statements at all prove nothing.
    expect(outcomes.access_denied).toBeGreaterThan(MUTANTS / 20);
    expect(outcomes.ok).toBeGreaterThan(MUTANTS / 100);
  },
  PATIENCE_MS,
);

describe('a fault that is planted is found:', () => {
  test.each(Object.entries(PLANTS))(
    '%s',
    async (plant, words) => {
      const trial = { ...corpus, seed: SEED, count: 30, plant: plant as Plant };
      const { faults } = await tryMutants(program, trial, SILENCE_OF_PLANT);
      expect(faults.join('\n')).toContain(words);
    },
    120_000,
  );
});
