/** The effect of entropy terms on an update, through the whole engine: a loss by name and the same loss as a function must agree. */
import { expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { relativeError } from '../testing/accuracy.ts';
import { engineBatch } from '../testing/engineBatch.ts';
import { tinyEngines } from '../testing/tinyEngine.ts';
import type { CustomLoss } from '../loss/customLoss.ts';
import { quantile } from '../loss/entropyTerms.ts';
import type { NamedLoss } from '../loss/namedLoss.ts';
import type { OpenEngine } from './createEngine.ts';

const engines = tinyEngines();

async function gradientOf(
  { engine }: OpenEngine,
  loss: NamedLoss | CustomLoss,
  batch = engineBatch(1),
): Promise<{ value: number; gradient: Float32Array }> {
  const { loss: value } = await engine.forwardBackward(batch, loss);
  const gradient = (await engine.optimizer.gradients.tensor.data<'float32'>()).slice();
  engine.clearGradients();
  return { value, gradient };
}

const policyTerm: CustomLoss = ({ logprob, advantage, mask }) =>
  tf.neg(tf.sum(tf.mul(tf.mul(logprob, advantage), mask)));
const tokensOf = (mask: tf.Tensor): tf.Tensor => tf.sum(mask);

test('the bonus is c times the mean entropy, taken off the loss', async () => {
  const open = await engines.open({ settings: { microBatchTokens: 64 } });
  const named = await gradientOf(open, { loss: 'reinforce', reduction: 'sum', entropyCoef: 0.7 });
  const own = await gradientOf(open, (inputs) => {
    const bonus = tf.div(tf.sum(tf.mul(inputs.entropy, inputs.mask)), tokensOf(inputs.mask));
    return tf.sub<tf.Scalar>(policyTerm(inputs), tf.mul(0.7, bonus));
  });
  expect(named.value).toBeCloseTo(own.value, 4);
  expect(relativeError(named.gradient, own.gradient)).toBeLessThan(1e-5);
  const without = await gradientOf(open, { loss: 'reinforce', reduction: 'sum' });
  expect(relativeError(without.gradient, own.gradient)).toBeGreaterThan(1e-3);
});

test('a step along the entropy’s gradient raises it as its norm says', async () => {
  const { engine } = await engines.open({ settings: { microBatchTokens: 64, clipNorm: 0 } });
  const batch = engineBatch(2);
  const meanEntropy = async (): Promise<number> => {
    const { entropies } = await engine.computeLogprobs(batch);
    const all = entropies.flatMap((row) => [...row]);
    return all.reduce((sum, value) => sum + value, 0) / all.length;
  };
  const before = await meanEntropy();
  await engine.forwardBackward(batch, ({ entropy, mask }) =>
    tf.neg(tf.div(tf.sum(tf.mul(entropy, mask)), tf.sum(mask))),
  );
  await engine.optimStep(1e-3);
  expect(await meanEntropy()).toBeGreaterThan(before + 1e-4);
});

test('tokens of low entropy teach nothing, and keep their share of the reduction', async () => {
  const open = await engines.open({ settings: { microBatchTokens: 64 } });
  const batch = engineBatch(3);
  const { entropies } = await open.engine.computeLogprobs(batch);
  const least = quantile(
    entropies.flatMap((row) => [...row]),
    1 - 0.4,
  );
  const named = await gradientOf(
    open,
    { loss: 'reinforce', reduction: 'token_mean', topEntropyQuantile: 0.4 },
    batch,
  );
  const masked = batch.map((sequence, i) => ({
    ...sequence,
    advantages: Array.from(sequence.advantages, (advantage, t) =>
      (entropies[i]?.[t] ?? 0) >= least ? advantage : 0,
    ),
  }));
  const byHand = await gradientOf(open, { loss: 'reinforce', reduction: 'token_mean' }, masked);
  expect(named.value).toBeCloseTo(byHand.value, 6);
  expect(relativeError(named.gradient, byHand.gradient)).toBeLessThan(1e-6);
});

test('a function may be made of entropies alone, and not of neither', async () => {
  const open = await engines.open();
  const { gradient } = await gradientOf(open, ({ entropy, mask }) => tf.sum(tf.mul(entropy, mask)));
  expect(Math.max(...gradient)).toBeGreaterThan(0);
  await expect(open.engine.forwardBackward(engineBatch(1), ({ mask }) => tf.sum(mask))).rejects.toThrow(
    'compute it from logprob or entropy',
  );
});
