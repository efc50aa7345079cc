/** The losses that are said to make the same run have the same gradient, but for rounding, where one update is made of a batch. */
import { beforeAll, expect, it } from 'vitest';
import { CISPO_CAP, LOSSES, type LossName, tokenWeights } from '@rl-playground/engine/parts';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { fourUpdates, sameLosses } from './lossTwins.ts';
import { defaultConfig } from './presets/presets.ts';
import { parseConfig } from './check.ts';
import { type RunConfig, updatesPerBatch } from './schema/schema.ts';
import { drawsFor } from '@rl-playground/base/random';
import { evaluatedLoss } from '@rl-playground/engine/testing/lossOnDevice';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { lossOptions } from '../loop/lossOptions.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const draw = drawsFor(5);
const LENGTHS = [3, 7, 5, 7];
const grid = (value: (row: number) => number): number[][] =>
  LENGTHS.map((length, row) => Array.from({ length: 7 }, (_, t) => (t < length ? value(row) : 0)));
const logprob = grid(() => -3 * draw());
const ADVANTAGES = [1.25, -0.5, 0.75, -1.5];

/** The gradient at ρ = 1, in one update that is the whole batch. */
async function gradientOf(form: RunConfig): Promise<number[][]> {
  // The form sets the cap of its weights with the loss.
  const config = form.loss === 'cispo' ? { ...form, clipHigh: CISPO_CAP } : form;
  const loss = lossOptions(config);
  const sequences = LENGTHS.map((length) => ({ tokens: Array.from({ length }) }));
  const weights = tokenWeights(loss.reduction, loss.maxTokens);
  const denominator = weights.denominator([sequences], 0);
  const { gradient } = await evaluatedLoss(loss.tokenLoss, {
    logprob,
    oldLogprob: logprob,
    samplerLogprob: logprob,
    referenceLogprob: logprob,
    advantage: grid((row) => ADVANTAGES[row] ?? 0),
    mask: grid(() => 1),
    weights: grid((row) => weights.numerator(sequences[row] ?? { tokens: [] }) / denominator),
  });
  return gradient;
}

/** Largest difference as a share of the largest number. */
function differs(a: number[][], b: number[][]): number {
  const [these, those] = [a.flat(), b.flat()];
  const size = Math.max(...those.map(Math.abs));
  return Math.max(...these.map((value, i) => Math.abs(value - (those[i] ?? NaN)))) / size;
}

const ALL = Object.keys(LOSSES) as LossName[];

it('are told at the defaults, and are the same; the others are not', async () => {
  for (const chosen of ALL) {
    const config: RunConfig = { ...defaultConfig('reverse_digits'), loss: chosen, lossReduction: 'auto' };
    const same = sameLosses(chosen === 'cispo' ? { ...config, clipHigh: CISPO_CAP } : config);
    const mine = await gradientOf(config);
    for (const other of ALL.filter((loss) => loss !== chosen)) {
      const theirs = await gradientOf({ ...config, loss: other });
      expect([chosen, other, differs(theirs, mine) < 1e-6]).toEqual([chosen, other, same.includes(other)]);
    }
  }
});

it('are none with four updates to a batch, which is offered where the answers can be cut so', () => {
  const config = defaultConfig('reverse_digits');
  const offer = fourUpdates(config);
  expect(offer).toMatchObject({ numSubsteps: 4 });
  const four = parseConfig({ ...config, ...offer });
  expect(four.ok && updatesPerBatch(four.config)).toBe(4);
  expect(sameLosses({ ...config, ...offer })).toEqual([]);
  expect(fourUpdates({ ...config, problemsPerStep: 3, rolloutsPerProblem: 3 })).toBeNull();
});
