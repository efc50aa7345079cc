import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import { ParameterPool } from '../model/weights.ts';
import { drawsFor } from '@rl-playground/base/random';
import { relativeError, worstDifference } from '../testing/accuracy.ts';
import { tinyModel, tinyPrompts } from '../testing/tinyModels.ts';
import type { Sequence } from '../loss/sequence.ts';
import { packMicrobatches, type Microbatch } from './batch.ts';
import { LOSS_NAMES, reinforce, PLAIN_LOSS, tokenLoss, type LossSettings } from '../loss/losses.ts';
import { ratioOf, type TokenLoss } from '../loss/inputs.ts';
import { Optimizer } from './optimizer.ts';
import { reductionOf, tokenWeights, weightsOfWhole } from '../loss/reduction.ts';
import { REDUCTIONS, type Reduction } from '../loss/lossRows.ts';
import { forwardBackward, forwardOnly, trainStep } from './trainer.ts';

const breathe = (): Promise<void> => Promise.resolve();
const SETTINGS = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
const MAX_LENGTH = 32;

const named = (loss: LossSettings['loss'], changes: Partial<LossSettings> = {}): TokenLoss =>
  tokenLoss({
    ...PLAIN_LOSS,
    ...changes,
    loss,
  });

/** Completions that no policy sampled, so that ratios and advantages are of all sizes; every fourth is masked. */
function sequences(): Sequence[] {
  const draw = drawsFor(23);
  return tinyPrompts(7).map((promptIds, i) => {
    const tokens = Array.from({ length: 1 + 4 * i }, () => Math.floor(29 * draw()));
    const near = (): number[] => tokens.map(() => -3.4 + draw() / 5);
    const advantage = draw() - 0.5;
    return {
      promptIds,
      tokens,
      samplerLogprobs: near(),
      oldLogprobs: near(),
      referenceLogprobs: near(),
      advantages: tokens.map(() => advantage + draw() / 10),
      masked: i % 4 === 3,
    };
  });
}

const weights = (reduction: Reduction) => weightsOfWhole(sequences(), reduction, MAX_LENGTH);

async function gradientOf(
  model: LanguageModel,
  loss: TokenLoss,
  weightOf: (index: number) => number,
  maxTokens: number,
  temperature = 0.8,
) {
  const gradients = new ParameterPool(model.config, null);
  const parts = packMicrobatches(sequences(), weightOf, maxTokens);
  const values = await forwardBackward(parts, { policy: model, temperature, loss, breathe }, gradients);
  const byName = await gradients.toHuggingFace();
  gradients.dispose();
  return { parts: parts.length, ...values, byName };
}

type Found = Awaited<ReturnType<typeof gradientOf>>;

/** Largest error of loss, log-probabilities and every parameter's gradient, each relative to its size. */
function apart(found: Found, expected: Found): number {
  const flat = (rows: readonly Float32Array[]): number[] => rows.flatMap((row) => [...row]);
  return Math.max(
    Math.abs(found.loss - expected.loss) / Math.max(1, Math.abs(expected.loss)),
    relativeError(flat(found.logprobs), flat(expected.logprobs)),
    ...[...expected.byName].map(([name, { data }]) =>
      relativeError(found.byName.get(name)?.data ?? [], data),
    ),
  );
}

/** A mean over each sequence and one over a mini-batch's tokens; a clip of ratios and one of weights. */
const FEW_REDUCTIONS: readonly string[] = ['sequence_mean', 'minibatch_token_mean'];
const FEW_LOSSES: readonly string[] = ['grpo', 'cispo'];

/** `every`: all losses and reductions; else a few, where their derivatives and weights are held against float64 elsewhere. */
export function trainerSuite(every = true): void {
  describe('trainer', () => {
    for (const reduction of REDUCTIONS.filter((name) => every || FEW_REDUCTIONS.includes(name))) {
      test(`${reduction}: loss and gradient do not depend on the cut into microbatches`, async () => {
        const model = tinyModel('gqa');
        const whole = await gradientOf(model, named('grpo'), weights(reduction), 1e6);
        expect(whole.parts).toBe(1);
        for (const maxTokens of [1, 128]) {
          const cut = await gradientOf(model, named('grpo'), weights(reduction), maxTokens);
          expect(cut.parts).toBeGreaterThan(2);
          expect(apart(cut, whole)).toBeLessThan(5e-5);
        }
        model.dispose();
      });
    }

    test.each(['gqa', 'gemma'] as const)(
      '%s: answers that share prompts give what they give apart, in one microbatch and in several',
      async (kind) => {
        const model = tinyModel(kind);
        const [one = [], other = []] = tinyPrompts(2);
        const grouped = sequences().map((sequence, i) => ({
          ...sequence,
          promptIds: i % 3 === 0 ? one : other,
        }));
        const weightOf = weightsOfWhole(grouped, 'sequence_mean', MAX_LENGTH);
        const options = { policy: model, temperature: 0.8, loss: named('grpo'), breathe };
        const found = async (parts: readonly Microbatch[]): Promise<Found> => {
          const gradients = new ParameterPool(model.config, null);
          const values = await forwardBackward(parts, options, gradients);
          const byName = await gradients.toHuggingFace();
          gradients.dispose();
          return { parts: parts.length, ...values, byName };
        };
        const alone = packMicrobatches(grouped, weightOf, 1);
        expect(alone.every(({ shared }) => shared === null)).toBe(true);
        const expected = await found(alone);
        for (const maxTokens of [1e6, 128]) {
          const parts = packMicrobatches(grouped, weightOf, maxTokens);
          expect(parts.every(({ shared }) => shared !== null)).toBe(true);
          const once = await found(parts);
          expect(once.logprobs).toEqual(expected.logprobs);
          expect(once.entropies).toEqual(expected.entropies);
          expect(apart(once, expected)).toBeLessThan(1e-6);
        }
        model.dispose();
      },
    );

    test('a ratio of whole sequences does not depend on the cut either', async () => {
      const model = tinyModel('gqa');
      const loss = named('grpo', { ratioLevel: 'sequence', kl: { estimator: 'k3', beta: 0.1 } });
      const whole = await gradientOf(model, loss, weights('sequence_mean'), 1e6);
      expect(apart(await gradientOf(model, loss, weights('sequence_mean'), 64), whole)).toBeLessThan(5e-5);
      model.dispose();
    });

    test('gradients of mini-batches add up: to the whole under GRPO and DAPO, to another sum under BNPO', async () => {
      const model = tinyModel('gqa');
      const all = sequences();
      const parts = [all.slice(0, 3), all.slice(3)];
      for (const reduction of [
        'sequence_mean',
        'token_mean',
        'max_length',
        'minibatch_token_mean',
      ] as const) {
        const tokens = tokenWeights(reduction, MAX_LENGTH);
        const gradients = new ParameterPool(model.config, null);
        let loss = 0;
        for (const [k, part] of parts.entries()) {
          const weightOf = (i: number): number => {
            const own = part[i];
            return own === undefined ? NaN : tokens.numerator(own) / tokens.denominator(parts, k);
          };
          const options = { policy: model, temperature: 0.8, loss: named('grpo'), breathe };
          loss += (await forwardBackward(packMicrobatches(part, weightOf, 1e6), options, gradients)).loss;
        }
        const summed = await gradients.toHuggingFace();
        gradients.dispose();
        const whole = await gradientOf(model, named('grpo'), weights(reduction), 1e6);
        const errors = [...whole.byName].map(([name, { data }]) =>
          relativeError(summed.get(name)?.data ?? [], data),
        );
        if (reduction === 'minibatch_token_mean') expect(Math.min(...errors)).toBeGreaterThan(0.01);
        else {
          expect(loss).toBeCloseTo(whole.loss, 5);
          expect(Math.max(...errors)).toBeLessThan(1e-4);
        }
      }
      model.dispose();
    });

    test('log-probabilities and entropies are those of a pass without gradient, by sequence', async () => {
      const model = tinyModel('mha');
      const parts = packMicrobatches(sequences(), weights('sum'), 64);
      const forward = await forwardOnly(parts, { policy: model, temperature: 0.8, breathe });
      const backward = await gradientOf(model, named('dro'), weights('sum'), 64);
      for (const name of ['logprobs', 'entropies'] as const) {
        expect(forward[name].map(({ length }) => length)).toEqual(
          sequences().map(({ tokens }) => tokens.length),
        );
        forward[name].forEach((row, i) =>
          expect(worstDifference(backward[name][i] ?? [], row)).toBeLessThan(1e-6),
        );
      }
      model.dispose();
    });

    test('the ratio to itself is exactly 1 at every token, and the loss that of minus the advantages', async () => {
      const model = tinyModel('gqa');
      const weightOf = weights('sum');
      const seen: tf.Tensor[] = [];
      const surrogate = named('grpo');
      const watched: TokenLoss = (inputs) => {
        seen.push(
          tf.keep(tf.clone(ratioOf(inputs, 'token'))),
          tf.keep(tf.clone(ratioOf(inputs, 'sequence'))),
        );
        return surrogate(inputs);
      };
      const gradients = new ParameterPool(model.config, null);
      const found = await forwardBackward(
        packMicrobatches(sequences(), weightOf, 128),
        { policy: model, temperature: 0.8, loss: watched, breathe, ratioToItself: true },
        gradients,
      );
      expect(seen.length).toBeGreaterThan(4);
      for (const ratios of seen) {
        expect(new Set(await ratios.data())).toEqual(new Set([1]));
        ratios.dispose();
      }
      const expected = sequences().flatMap(({ advantages, masked }) =>
        masked === true ? [] : Array.from(advantages, (advantage) => -advantage),
      );
      expect(found.loss).toBeCloseTo(
        expected.reduce((sum, value) => sum + value, 0),
        4,
      );
      const byName = await gradients.toHuggingFace();
      gradients.dispose();
      const plain = await gradientOf(model, reinforce, weightOf, 128);
      for (const [name, { data }] of plain.byName)
        expect({ name, error: relativeError(byName.get(name)?.data ?? [], data) }).toEqual({
          name,
          error: expect.closeTo(0, 5) as number,
        });
      model.dispose();
    });

    test('DRO pulls at completion tokens alone: its gradient is that of −A + β (log p − log q) on them', async () => {
      const model = tinyModel('gqa');
      const droBeta = 0.7;
      const found = await gradientOf(model, named('dro', { droBeta }), weights('sum'), 128);
      const pulled = sequences().map((sequence, i) => ({
        ...sequence,
        advantages: sequence.tokens.map((_, t) => {
          const distance = (found.logprobs[i]?.[t] ?? NaN) - (sequence.oldLogprobs?.[t] ?? NaN);
          return (sequence.advantages[t] ?? NaN) - droBeta * distance;
        }),
      }));
      const gradients = new ParameterPool(model.config, null);
      await forwardBackward(
        packMicrobatches(pulled, weights('sum'), 128),
        { policy: model, temperature: 0.8, loss: reinforce, breathe },
        gradients,
      );
      const expected = await gradients.toHuggingFace();
      gradients.dispose();
      for (const [name, { data }] of expected)
        expect({ name, error: relativeError(found.byName.get(name)?.data ?? [], data) }).toEqual({
          name,
          error: expect.closeTo(0, 5) as number,
        });
      model.dispose();
    });

    test('a masked sequence changes nothing but the number of sequences', async () => {
      const model = tinyModel('gqa');
      const other = sequences().map((sequence) =>
        sequence.masked === true
          ? {
              ...sequence,
              tokens: sequence.tokens.map((token) => (token + 11) % 29),
              advantages: sequence.tokens.map(() => 99),
            }
          : sequence,
      );
      for (const loss of [named('dro'), named('grpo', { kl: { estimator: 'k3', beta: 0.5 } })]) {
        const gradients = new ParameterPool(model.config, null);
        const options = { policy: model, temperature: 0.8, loss, breathe };
        const parts = packMicrobatches(other, weightsOfWhole(other, 'token_mean', MAX_LENGTH), 1e6);
        const { loss: value } = await forwardBackward(parts, options, gradients);
        const byName = await gradients.toHuggingFace();
        gradients.dispose();
        const expected = await gradientOf(model, loss, weights('token_mean'), 1e6);
        expect(value).toBeCloseTo(expected.loss, 5);
        for (const [name, { data }] of expected.byName)
          expect(relativeError(byName.get(name)?.data ?? [], data)).toBeLessThan(1e-5);
      }
      model.dispose();
    });

    for (const loss of LOSS_NAMES.filter((name) => every || FEW_LOSSES.includes(name))) {
      test(`${loss}: small steps on a batch lower it`, async () => {
        const model = tinyModel('gqa');
        const optimizer = new Optimizer(model.pool, SETTINGS);
        const options = { policy: model, optimizer, temperature: 1, loss: named(loss), breathe };
        const parts = packMicrobatches(sequences(), weights(reductionOf(loss, 'auto')), 1e6);
        const losses: number[] = [];
        for (let step = 0; step < 4; step++) losses.push((await trainStep(parts, 1e-3, options)).loss);
        expect(losses).toEqual(losses.toSorted((a, b) => b - a));
        expect(new Set(losses).size).toBe(4);
        optimizer.dispose();
        model.dispose();
      });
    }

    test('a step moves the weights, reports progress and leaves no tensor behind', async () => {
      const model = tinyModel('mha');
      const optimizer = new Optimizer(model.pool, SETTINGS);
      const seen: number[] = [];
      const options = {
        policy: model,
        optimizer,
        temperature: 1,
        loss: named('cispo', { kl: { estimator: 'k3', beta: 0.1 }, importanceCap: 2 }),
        breathe,
        onProgress: (tokens: number) => seen.push(tokens),
        ratioToItself: true,
      };
      const parts = packMicrobatches(sequences(), weights('token_mean'), 128);
      const before = { packed: await model.pool.pack(), tensors: tf.memory().numTensors };
      const { gradNorm, entropies } = await trainStep(parts, 1e-3, options);
      const tokensOf = (index: number): number => {
        const { promptIds, tokens } = sequences()[index] ?? { promptIds: [], tokens: [] };
        return promptIds.length + tokens.length;
      };
      expect(seen).toEqual(parts.map(({ rows }) => rows.reduce((sum, index) => sum + tokensOf(index), 0)));
      expect(tf.memory().numTensors).toBe(before.tensors);
      expect(relativeError(await model.pool.pack(), before.packed)).toBeGreaterThan(1e-4);
      expect(gradNorm).toBeGreaterThan(0);
      const all = entropies.flatMap((row) => [...row]);
      expect(Math.min(...all)).toBeGreaterThan(0);
      expect(Math.max(...all)).toBeLessThanOrEqual(Math.log(29) + 1e-5);
      optimizer.dispose();
      model.dispose();
    });

    test('a gradient that is not finite is refused: weights stay, no tensor stays behind', async () => {
      const model = tinyModel('gqa');
      const optimizer = new Optimizer(model.pool, SETTINGS);
      const options = { policy: model, optimizer, temperature: 1, loss: reinforce, breathe };
      const bad = sequences().map((sequence) => ({
        ...sequence,
        advantages: sequence.tokens.map(() => NaN),
      }));
      const before = { packed: await model.pool.pack(), tensors: tf.memory().numTensors };
      const parts = packMicrobatches(bad, weights('token_mean'), 128);
      await expect(trainStep(parts, 1e-3, options)).rejects.toThrow('The gradient norm of update 1 is NaN');
      expect(await model.pool.pack()).toEqual(before.packed);
      expect(tf.memory().numTensors).toBe(before.tensors);
      optimizer.dispose();
      model.dispose();
    });
  });
}
