/** Losses through the whole engine: by name, as a function of one's own, and by differences of the model itself. */
import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import type { EngineOptions, OpenEngine } from './createEngine.ts';
import { drawsFor } from '@rl-playground/base/random';
import { relativeError } from '../testing/accuracy.ts';
import { engineBatch, type WholeSequence } from '../testing/engineBatch.ts';
import { tinyEngines } from '../testing/tinyEngine.ts';
import type { Sequence } from '../loss/sequence.ts';
import type { CustomLoss } from '../loss/customLoss.ts';
import type { NamedLoss } from '../loss/namedLoss.ts';
import { LOSS_NAMES } from '../loss/losses.ts';
import { stopGradient, type LossInputs } from '../loss/inputs.ts';
import type { LossName } from '../loss/lossRows.ts';

const engines = tinyEngines();
const open = (settings: EngineOptions['settings'] = {}): Promise<OpenEngine> =>
  engines.open({ settings: { microBatchTokens: 64, ...settings } });

const MAX_LENGTH = 16;

/** Σ over tokens of `weight` · `term`, where the sequences are those of `batch`. */
const summed = (term: tf.Tensor, { mask }: LossInputs, weight: number | tf.Tensor = 1): tf.Scalar =>
  tf.sum(tf.mul(tf.mul(term, mask), weight));
const ratio = ({ logprob, oldLogprob }: LossInputs): tf.Tensor2D => tf.exp(tf.sub(logprob, oldLogprob));
const surrogate = (inputs: LossInputs, low: number, high: number): tf.Tensor => {
  const { advantage } = inputs;
  const r = ratio(inputs);
  return tf.neg(tf.minimum(tf.mul(r, advantage), tf.mul(tf.clipByValue(r, low, high), advantage)));
};
/** 1 / T_i [B, 1]. */
const perToken = ({ mask }: LossInputs): tf.Tensor => tf.div(1, tf.sum(mask, 1, true));

/** Every loss written out again from its formula and its system's reduction, B sequences, N tokens in all. */
const WRITTEN_OUT: Readonly<Record<LossName, (inputs: LossInputs, B: number, N: number) => tf.Scalar>> = {
  reinforce: (inputs, B) =>
    summed(tf.neg(tf.mul(inputs.advantage, inputs.logprob)), inputs, tf.div(perToken(inputs), B)),
  importance_sampling: (inputs) => summed(tf.neg(tf.mul(ratio(inputs), inputs.advantage)), inputs),
  ppo: (inputs) => summed(surrogate(inputs, 0.8, 1.2), inputs),
  cispo: (inputs) => {
    const weight = stopGradient(tf.clipByValue(ratio(inputs), 0.8, 1.2));
    return summed(tf.neg(tf.mul(tf.mul(weight, inputs.advantage), inputs.logprob)), inputs);
  },
  dro: (inputs) => {
    const { advantage, logprob, oldLogprob } = inputs;
    const pull = tf.mul(0.025, tf.squaredDifference(logprob, oldLogprob));
    return summed(tf.sub(pull, tf.mul(advantage, logprob)), inputs);
  },
  grpo: (inputs, B) => summed(surrogate(inputs, 0.8, 1.2), inputs, tf.div(perToken(inputs), B)),
  bnpo: (inputs, _, N) => summed(surrogate(inputs, 0.8, 1.2), inputs, 1 / N),
  dr_grpo: (inputs, B) => summed(surrogate(inputs, 0.8, 1.2), inputs, 1 / (B * MAX_LENGTH)),
  dapo: (inputs, _, N) => summed(surrogate(inputs, 0.8, 1.2), inputs, 1 / N),
  luspo: (inputs, B) => summed(surrogate(inputs, 0.8, 1.2), inputs, 1 / B),
  sapo: (inputs, B) => {
    const { advantage } = inputs;
    const temperature = tf.where(tf.greater(advantage, 0), tf.scalar(1), tf.scalar(1.05));
    const gate = tf.div(4, tf.add(1, tf.exp(tf.mul(temperature, tf.sub(1, ratio(inputs))))));
    return summed(tf.neg(tf.mul(tf.div(gate, temperature), advantage)), inputs, tf.div(perToken(inputs), B));
  },
  vespo: (inputs, _, N) => {
    const { advantage, logprob, oldLogprob, mask } = inputs;
    const logRatio = tf.mul(tf.sub(logprob, oldLogprob), mask);
    const answer = tf.exp(tf.sum(logRatio, 1, true));
    const good = tf.mul(tf.square(answer), tf.exp(tf.mul(3, tf.sub(1, answer))));
    const bad = tf.mul(tf.pow(answer, 3), tf.exp(tf.mul(2, tf.sub(1, answer))));
    const positive = tf.cast(tf.greaterEqual(advantage, 0), 'float32');
    const weight = tf.add(tf.mul(positive, good), tf.mul(tf.sub(1, positive), bad)) as tf.Tensor2D;
    return summed(tf.neg(tf.mul(tf.mul(stopGradient(weight), advantage), logprob)), inputs, 1 / N);
  },
};

const named = (loss: LossName): NamedLoss =>
  loss === 'dr_grpo' ? { loss, maxLength: MAX_LENGTH } : { loss };

/** Loss and gradient, which is not kept. */
async function gradientOf(
  { engine }: OpenEngine,
  batch: readonly Sequence[],
  loss: NamedLoss | CustomLoss,
  options = {},
): Promise<{ value: number; gradient: Float32Array }> {
  const { loss: value } = await engine.forwardBackward(batch, loss, options);
  const gradient = (await engine.optimizer.gradients.tensor.data<'float32'>()).slice();
  engine.clearGradients();
  return { value, gradient };
}

describe.each([{}, { loraRank: 3, loraAlpha: 3 }])('by name and as a function %j', (settings) => {
  test.each(LOSS_NAMES)('%s: the same loss and gradient', async (loss) => {
    const made = await open(settings);
    // New factors of LoRA begin where half of all gradients are 0.
    await made.engine.forwardBackward(engineBatch(9), 'ppo');
    await made.engine.optimStep(0.02);
    const batch = engineBatch(1);
    const tokens = batch.reduce((sum, sequence) => sum + sequence.tokens.length, 0);
    const byName = await gradientOf(made, batch, named(loss));
    const own = await gradientOf(made, batch, (inputs) => WRITTEN_OUT[loss](inputs, batch.length, tokens));
    expect(own.value).toBeCloseTo(byName.value, 4);
    expect(relativeError(own.gradient, byName.gradient)).toBeLessThan(1e-5);
    expect(Math.max(...byName.gradient)).toBeGreaterThan(1e-4);
  });
});

test('REINFORCE with advantages of 1 and a mean over tokens is supervised learning', async () => {
  const made = await open();
  const batch = engineBatch(3).map((sequence) => ({ ...sequence, advantages: sequence.tokens.map(() => 1) }));
  const byName = await gradientOf(made, batch, { loss: 'reinforce', reduction: 'token_mean' });
  const own = await gradientOf(made, batch, ({ logprob, mask }) =>
    tf.neg(tf.div(tf.sum(tf.mul(logprob, mask)), tf.sum(mask))),
  );
  expect(own.value).toBeCloseTo(byName.value, 5);
  expect(relativeError(own.gradient, byName.gradient)).toBeLessThan(1e-5);
});

test('a sequence that is masked is out of the loss, by name and in a function', async () => {
  const made = await open();
  const batch = engineBatch(1);
  const some = batch.slice(0, 4);
  const masked = batch.map((sequence, i) => ({ ...sequence, masked: i >= 4 }));
  const alone = await gradientOf(made, some, named('ppo'));
  expect(relativeError((await gradientOf(made, masked, named('ppo'))).gradient, alone.gradient)).toBeLessThan(
    1e-5,
  );
  const tokens: number[] = [];
  await gradientOf(made, masked, ({ logprob, mask }) => {
    tokens.push(...tf.sum(mask, 1).dataSync());
    return tf.sum(tf.mul(logprob, mask));
  });
  expect(tokens).toEqual(masked.map((sequence) => (sequence.masked ? 0 : sequence.tokens.length)));
  // Even a function that forgets the mask moves nothing there.
  const forgetful: CustomLoss = ({ logprob, advantage }) => tf.neg(tf.sum(tf.mul(logprob, advantage)));
  const own = await gradientOf(made, masked, forgetful);
  expect(relativeError(own.gradient, (await gradientOf(made, some, forgetful)).gradient)).toBeLessThan(1e-5);
});

test('with p_old = stop-gradient(p) every ratio is exactly 1, by name and in a function', async () => {
  const made = await open();
  const batch = engineBatch(2);
  const sum = batch.flatMap(({ advantages }) => Array.from(advantages)).reduce((all, one) => all + one, 0);
  const byName = await gradientOf(made, batch, named('importance_sampling'), { ratioToItself: true });
  expect(byName.value).toBeCloseTo(-sum, 4);
  const ratios: number[] = [];
  const own = await gradientOf(
    made,
    batch,
    (inputs) => {
      const r = ratio(inputs);
      ratios.push(...r.dataSync());
      return summed(tf.neg(tf.mul(r, inputs.advantage)), inputs);
    },
    { ratioToItself: true },
  );
  expect(new Set(ratios)).toEqual(new Set([1]));
  expect(relativeError(own.gradient, byName.gradient)).toBeLessThan(1e-5);
});

/** One that no weighted sum of tokens can be: pairs of sequences, better against worse (Bradley and Terry), in float64. */
function pairLoss(
  batch: readonly WholeSequence[],
  logprobs: readonly ArrayLike<number>[],
  T: number,
): number {
  const gap = logprobs.map((row, i) =>
    Array.from(row).reduce((sum, value, t) => sum + (value - (batch[i]?.referenceLogprobs[t] ?? NaN)) / T, 0),
  );
  let loss = 0;
  for (let i = 0; i + 1 < gap.length; i += 2)
    loss += Math.log(1 + Math.exp((gap[i + 1] ?? NaN) - (gap[i] ?? NaN)));
  return loss;
}

const pairLossOnDevice =
  (T: number): CustomLoss =>
  ({ logprob, referenceLogprob, mask }) => {
    const gap = tf.div(tf.sum(tf.mul(tf.sub(logprob, referenceLogprob), mask), 1), T);
    const pairs = tf.reshape(gap, [-1, 2]);
    return tf.sum(tf.softplus(tf.sub(tf.slice(pairs, [0, 1], [-1, 1]), tf.slice(pairs, [0, 0], [-1, 1]))));
  };

describe('a function over the whole batch', () => {
  test.each([{}, { loraRank: 2, loraAlpha: 8 }])(
    'has the gradient that differences of the whole model give: %j',
    async (settings) => {
      const made = await open(settings);
      const { engine } = made;
      await engine.forwardBackward(engineBatch(9), 'ppo');
      await engine.optimStep(0.05);
      const batch = engineBatch(5, 8);
      const temperature = 0.8;
      const { gradient } = await gradientOf(made, batch, pairLossOnDevice(3), { temperature });
      const state = await engine.saveState();
      const valueAt = async (direction: ArrayLike<number>, h: number): Promise<number> => {
        const trained = state.trained.map((weight, i) => weight + h * (direction[i] ?? NaN));
        engine.loadState({ ...state, trained });
        const { logprobs } = await engine.computeLogprobs(batch, 'policy', { temperature });
        return pairLoss(batch, logprobs, 3);
      };
      const draw = drawsFor(0xd1, gradient.length);
      const norm = Math.hypot(...gradient);
      const directions = [
        Array.from(gradient, (derivative) => derivative / norm),
        ...[1, 2, 3].map(() =>
          Array.from(
            gradient,
            (derivative) => derivative / norm + (0.5 * (draw() - 0.5)) / Math.sqrt(gradient.length),
          ),
        ),
      ];
      for (const direction of directions) {
        const h = 0.02;
        const [a, b, c, d] = [
          await valueAt(direction, h),
          await valueAt(direction, -h),
          await valueAt(direction, 2 * h),
          await valueAt(direction, -2 * h),
        ];
        // Central differences of fourth order.
        const measured = (8 * (a - b) - (c - d)) / (12 * h);
        const analytic = gradient.reduce((sum, derivative, i) => sum + derivative * (direction[i] ?? NaN), 0);
        expect(Math.abs(measured / analytic - 1)).toBeLessThan(2e-3);
      }
    },
  );

  test('sees every value that the sequences carry, 0 beyond their ends', async () => {
    const { engine } = await open();
    const batch = engineBatch(6, 5);
    const longest = Math.max(...batch.map(({ tokens }) => tokens.length));
    const seen: Record<string, number[][]> = {};
    const { logprobs, entropies } = await engine.forwardBackward(batch, (inputs) => {
      for (const [name, values] of Object.entries(inputs) as [string, tf.Tensor2D][])
        seen[name] = values.arraySync();
      return tf.sum(tf.mul(inputs.logprob, inputs.mask));
    });
    const padded = (rowOf: (sequence: WholeSequence, i: number) => ArrayLike<number>): number[][] =>
      batch.map((sequence, i) =>
        Array.from({ length: longest }, (_, t) => Math.fround(rowOf(sequence, i)[t] ?? 0)),
      );
    expect(seen).toEqual({
      logprob: padded((_, i) => logprobs[i] ?? []),
      entropy: padded((_, i) => entropies[i] ?? []),
      oldLogprob: padded(({ oldLogprobs }) => oldLogprobs),
      samplerLogprob: padded(({ samplerLogprobs }) => samplerLogprobs),
      referenceLogprob: padded(({ referenceLogprobs }) => referenceLogprobs),
      advantage: padded(({ advantages }) => advantages),
      mask: padded(({ tokens }) => tokens.map(() => 1)),
    });
  });
});
