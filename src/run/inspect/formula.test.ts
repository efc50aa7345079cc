/** The formula of each loss, made from the ops that compute it: a coefficient that changes there changes the text. */
import { beforeAll, expect, test } from 'vitest';
import type { LossName } from '@rl-playground/engine/parts';
import { startBackend, tf, PLAIN_LOSS } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { referenceLoss } from '@rl-playground/engine/testing/lossReference';
import { rolloutWith, trainedWith } from '../testing/stepContext.ts';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { TracedLoss, type FormulaTerms } from './formula.ts';
import { tokenTerms } from './tokenTerms.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

const answer = rolloutWith({
  tokens: [4, 5],
  logprobs: [-1.25, -0.5],
  advantages: [2, -0.5],
  trained: trainedWith({
    logprobs: [-1, -0.75],
    oldLogprobs: [-1.5, -0.5],
    referenceLogprobs: [-1.25, -1],
    entropies: [0.4, 0.9],
  }),
});
const show = (value: number) => String(Number(value.toPrecision(3)));

const PLAIN = {
  clipMeaning: 'ratio_bounds',
  clipLow: 0.8,
  clipHigh: 1.2,
  clipDelta: 0,
  klBeta: 0,
  ratioLevel: 'token',
  importanceCap: 0,
  importanceFloor: 0,
  offPolicyThreshold: 0,
} as const satisfies Partial<RunConfig>;

const NO_BONUS: FormulaTerms = { kept: null, weight: 1, entropy: [0, 0], entropyWeights: [0, 0] };

async function linesOf(settings: Partial<RunConfig>, t = 0, terms = NO_BONUS) {
  const config: RunConfig = { ...defaultConfig('reverse_digits'), ...PLAIN, ...settings };
  const before = tf.memory().numTensors;
  const lines = (await TracedLoss.of(answer, terms, config)).at(t, show);
  expect(tf.memory().numTensors).toBe(before);
  return lines;
}
const symbols = async (settings: Partial<RunConfig>, t = 0) =>
  (await linesOf(settings, t)).map((line) => `${line.name} = ${line.symbols}`);

const RHO = 'ρ = exp(log p − log p_old)';
const CLIPPED = ['ℓ = −min(ρ · A, clip(ρ, 0.8, 1.2) · A)', RHO];

const FORMULAS: Partial<Record<LossName, readonly string[]>> = {
  reinforce: ['ℓ = −A · log p'],
  importance_sampling: ['ℓ = −ρ · A', RHO],
  ppo: CLIPPED,
  cispo: ['ℓ = −sg(clip(ρ, 0.8, 1.2)) · A · log p', RHO],
  dro: ['ℓ = −(A · log p − 0.025 · (log p − log p_old)²)'],
  grpo: CLIPPED,
  bnpo: CLIPPED,
  dr_grpo: CLIPPED,
  dapo: CLIPPED,
  luspo: CLIPPED,
  sapo: ['ℓ = −4 · σ(ρ − 1) · A', RHO],
  vespo: [
    'ℓ = −sg(exp(2 · log W + 3 − 3 · exp(log W))) · A · log p',
    'log W = clip(sum(clip(log p − log p_old, −20, 20)), −18.4207, 20)',
  ],
};

test.each(Object.entries(FORMULAS))('%s', async (loss, expected) => {
  expect(await symbols({ loss: loss as LossName })).toEqual(expected);
});

test('the coefficients are those of the settings, and the side of a choice is the token’s own', async () => {
  expect(await symbols({ loss: 'dro', droBeta: 0.5 })).toEqual([
    'ℓ = −(A · log p − 0.25 · (log p − log p_old)²)',
  ]);
  expect((await symbols({ loss: 'sapo' }, 1))[0]).toBe('ℓ = −3.80952 · σ(1.05 · (ρ − 1)) · A');
  expect((await symbols({ loss: 'grpo', clipDelta: 4 }))[0]).toBe(
    'ℓ = −min(min(ρ, 4) · A, clip(ρ, 0.8, 1.2) · A)',
  );
});

test('KL, the ratio of an answer, and what corrects for the sampler are written out', async () => {
  expect(await symbols({ loss: 'reinforce', klBeta: 0.25, klEstimator: 'k3' })).toEqual([
    'ℓ = −A · log p + 0.25 · (exp(r) − r − 1)',
    'r = log p_ref − log p',
  ]);
  expect((await symbols({ loss: 'reinforce', klBeta: 0.25, klEstimator: 'k2' }))[0]).toBe(
    'ℓ = −A · log p + 0.25 · 0.5 · r²',
  );
  expect(await symbols({ loss: 'importance_sampling', ratioLevel: 'sequence' })).toEqual([
    'ℓ = −ρ · A',
    'ρ = exp(mean(log p − log p_old))',
  ]);
  const corrected = { importanceMode: 'token_truncate', importanceCap: 2, offPolicyThreshold: 0.5 } as const;
  expect(await symbols({ loss: 'reinforce', ...corrected })).toEqual([
    'ℓ = near · v · (−A · log p)',
    'near = not((mean(log q − log p) > 0.5) and (A < 0))',
    'v = sg(min(exp(log p_old − log q), 2))',
  ]);
});

test('an entropy bonus is written out with what one nat of the token’s entropy is worth', async () => {
  const [terms] = await tokenTerms([answer], {
    ...defaultConfig('reverse_digits'),
    ...PLAIN,
    loss: 'reinforce',
    lossReduction: 'token_mean',
    entropyCoef: 0.3,
  });
  if (!terms) throw new Error('The answer was trained on.');
  // Two tokens, of which each counts half in both means; ℓ = −2 · (−1) = 2, H = 0.4.
  expect(terms.entropyWeights).toEqual([-0.15, -0.15]);
  const lines = await linesOf({ loss: 'reinforce' }, 0, terms);
  expect(lines.at(-1)).toMatchObject({
    name: 'adds',
    symbols: 'w · ℓ − 0.15 · H',
    numbers: '0.5 · 2 − 0.15 · 0.4',
  });
  expect(lines.at(-1)?.value).toBeCloseTo(0.94, 6);
  expect(terms.added[0]).toBeCloseTo(0.94, 6);
});

test('with the numbers of a token, whose value is that of float64', async () => {
  const [loss, ratio] = await linesOf({ loss: 'grpo' });
  expect(loss?.numbers).toBe('−min(1.65 · 2, clip(1.65, 0.8, 1.2) · 2)');
  expect(ratio?.numbers).toBe('exp(-1 − (-1.5))');
  for (const t of [0, 1]) {
    const [found] = await linesOf(
      { loss: 'grpo', klBeta: 0.1, klEstimator: 'k3', klBiasCorrection: false },
      t,
    );
    const row = (values: ArrayLike<number>) => [Array.from(values)];
    const { trained } = answer;
    const expected = referenceLoss(
      { ...PLAIN_LOSS, loss: 'grpo', kl: { estimator: 'k3', beta: 0.1 } },
      {
        logprob: row(trained?.logprobs ?? []),
        oldLogprob: row(trained?.oldLogprobs ?? []),
        samplerLogprob: row(answer.logprobs),
        referenceLogprob: row(trained?.referenceLogprobs ?? []),
        advantage: row(answer.advantages),
        mask: row([1, 1]),
        weights: row(t === 0 ? [1, 0] : [0, 1]),
      },
    );
    expect(found?.value).toBeCloseTo(expected, 5);
  }
});
