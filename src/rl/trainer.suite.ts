import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import { Gradients } from '../model/weights.ts';
import { drawsFor } from '../tasks/random.ts';
import { relativeError } from '../testing/accuracy.ts';
import { tinyModel, tinyPrompts } from '../testing/tinyModels.ts';
import { packMicrobatches, type LossReduction, type Sequence } from './batch.ts';
import { lossOf } from './losses.ts';
import { Optimizer } from './optimizer.ts';
import { forwardBackward, trainStep } from './trainer.ts';

const breathe = (): Promise<void> => Promise.resolve();
const SETTINGS = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };

/** Completions that no policy sampled, so that ratios and advantages are of all sizes. */
function sequences(): Sequence[] {
  const draw = drawsFor(23);
  return tinyPrompts(7).map((promptIds, i) => {
    const tokens = Array.from({ length: 1 + 4 * i }, () => Math.floor(29 * draw()));
    return {
      promptIds,
      tokens,
      samplerLogprobs: tokens.map(() => -3.4 + draw() / 5),
      advantage: draw() - 0.5,
    };
  });
}

async function gradientOf(model: LanguageModel, reduction: LossReduction, maxTokens: number) {
  const gradients = new Gradients(model.config);
  const options = {
    policy: model,
    reference: null,
    temperature: 0.8,
    loss: lossOf({ algorithm: 'grpo', klBeta: 0 }),
    breathe,
  };
  let loss = 0;
  const parts = packMicrobatches(sequences(), reduction, maxTokens);
  for (const part of parts) loss += (await forwardBackward(part, options, gradients)).loss;
  const values = await gradients.toHuggingFace();
  gradients.dispose();
  return { parts: parts.length, loss, values };
}

export function trainerSuite(): void {
  describe('trainer', () => {
    for (const reduction of ['token_mean', 'sequence_mean'] as const) {
      test(`${reduction}: loss and gradient do not depend on the cut into microbatches`, async () => {
        const model = tinyModel('gqa');
        const whole = await gradientOf(model, reduction, 1e6);
        expect(whole.parts).toBe(1);
        for (const maxTokens of [1, 128]) {
          const cut = await gradientOf(model, reduction, maxTokens);
          expect(cut.parts).toBeGreaterThan(2);
          expect(cut.loss).toBeCloseTo(whole.loss, 6);
          for (const [name, { data }] of whole.values) {
            expect({ name, error: relativeError(cut.values.get(name)?.data ?? [], data) }).toEqual({
              name,
              error: expect.closeTo(0, 5) as number,
            });
          }
        }
        model.dispose();
      });
    }

    test('a step moves the weights, reports progress and leaves no tensor behind', async () => {
      const model = tinyModel('mha');
      const optimizer = new Optimizer(model.weights, SETTINGS);
      const loss = lossOf({ algorithm: 'reinforce', klBeta: 0.1 });
      const options = { policy: model, reference: model, optimizer, temperature: 1, loss, breathe };
      const parts = packMicrobatches(sequences(), 'token_mean', 128);
      const before = { packed: await model.weights.pack(), tensors: tf.memory().numTensors };
      const seen: number[] = [];
      await trainStep(parts, 1e-3, options, (tokens) => seen.push(tokens));
      expect(seen).toEqual(parts.map(({ batch, length }) => batch * length));
      expect(tf.memory().numTensors).toBe(before.tensors);
      expect(relativeError(await model.weights.pack(), before.packed)).toBeGreaterThan(1e-4);
      optimizer.dispose();
      model.dispose();
    });

    test('small steps lower the loss', async () => {
      const model = tinyModel('gqa');
      const optimizer = new Optimizer(model.weights, SETTINGS);
      const loss = lossOf({ algorithm: 'reinforce', klBeta: 0 });
      const options = { policy: model, reference: null, optimizer, temperature: 1, loss, breathe };
      const parts = packMicrobatches(sequences(), 'token_mean', 1e6);
      const losses: number[] = [];
      for (let step = 0; step < 4; step++) losses.push((await trainStep(parts, 1e-3, options)).loss);
      expect(losses).toEqual([...losses].sort((a, b) => b - a));
      expect(new Set(losses).size).toBe(4);
      optimizer.dispose();
      model.dispose();
    });

    test('a gradient that is not finite is refused: weights stay, no tensor stays behind', async () => {
      const model = tinyModel('gqa');
      const optimizer = new Optimizer(model.weights, SETTINGS);
      const loss = lossOf({ algorithm: 'reinforce', klBeta: 0 });
      const options = { policy: model, reference: null, optimizer, temperature: 1, loss, breathe };
      const bad = sequences().map((sequence) => ({ ...sequence, advantage: NaN }));
      const before = { packed: await model.weights.pack(), tensors: tf.memory().numTensors };
      const parts = packMicrobatches(bad, 'token_mean', 128);
      await expect(trainStep(parts, 1e-3, options)).rejects.toThrow('The gradient norm of update 1 is NaN');
      expect(await model.weights.pack()).toEqual(before.packed);
      expect(tf.memory().numTensors).toBe(before.tensors);
      optimizer.dispose();
      model.dispose();
    });
  });
}
