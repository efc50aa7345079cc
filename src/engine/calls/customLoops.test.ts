/** Loops that other papers need, written on the engine's calls alone: preference pairs, several updates a sample, a teacher. */
import { describe, expect, test } from 'vitest';
import type { EngineOptions, OpenEngine } from './createEngine.ts';
import { worstDifference } from '../testing/accuracy.ts';
import { engineBatch } from '../testing/engineBatch.ts';
import { tinyEngines } from '../testing/tinyEngine.ts';
import type { CustomLoss } from '../loss/customLoss.ts';
import type { EngineSequence } from './calls.ts';

const engines = tinyEngines();
const open = (settings: EngineOptions['settings'] = {}): Promise<OpenEngine> =>
  engines.open({ settings: { clipNorm: 0, ...settings } });

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((all, value) => all + value, 0);

describe.each([{}, { loraRank: 2, loraAlpha: 4 }])('DPO (Rafailov et al. 2023) with %j', (settings) => {
  const BETA = 0.4;
  const PAIRS = 4;
  /** Preferred answers first, then the others, in the same order. */
  const rows = engineBatch(5, 2 * PAIRS).map(({ promptIds, tokens }) => ({ promptIds, tokens }));

  /** −mean over pairs of log σ(β · (Σ log p/p_ref of the preferred − that of the other)). */
  const dpo = ({ tf }: OpenEngine): CustomLoss => {
    const places = (first: number) =>
      tf.tensor1d(
        Array.from({ length: PAIRS }, (_, i) => first + i),
        'int32',
      );
    return ({ logprob, referenceLogprob, mask }) => {
      const gains = tf.sum(tf.mul(tf.sub(logprob, referenceLogprob), mask), 1);
      const margins = tf.sub(tf.gather(gains, places(0)), tf.gather(gains, places(PAIRS)));
      return tf.neg(tf.mean(tf.logSigmoid(tf.mul(BETA, margins))));
    };
  };

  /** The same in float64 from log-probabilities. */
  const byHand = (logprobs: readonly Float32Array[], reference: readonly Float32Array[]): number => {
    const gains = logprobs.map((row, i) => sum(row) - sum(reference[i] ?? []));
    const terms = Array.from({ length: PAIRS }, (_, i) =>
      Math.log1p(Math.exp(-BETA * ((gains[i] ?? NaN) - (gains[i + PAIRS] ?? NaN)))),
    );
    return sum(terms) / PAIRS;
  };

  test('loss by hand, gradient by differences, and preferences that are learned', async () => {
    const made = await open(settings);
    const { engine } = made;
    const reference = (await engine.computeLogprobs(rows, 'reference')).logprobs;
    const pairs: EngineSequence[] = rows.map((row, i) => ({ ...row, referenceLogprobs: reference[i] ?? [] }));
    const loss = dpo(made);
    const atHand = async (): Promise<number> =>
      byHand((await engine.computeLogprobs(rows)).logprobs, reference);
    expect((await engine.forwardBackward(pairs, loss)).loss).toBeCloseTo(Math.log(2), 5);
    await engine.optimStep(5e-3);

    const { loss: value } = await engine.forwardBackward(pairs, loss);
    expect(value).toBeCloseTo(await atHand(), 5);
    const gradient = (await engine.optimizer.gradients.tensor.data<'float32'>()).slice();
    const norm = Math.hypot(...gradient);
    const state = await engine.saveState();
    const step = 3e-3;
    const moved = async (by: number): Promise<number> => {
      const trained = state.trained.map((weight, i) => weight + (by * (gradient[i] ?? NaN)) / norm);
      engine.loadState({ ...state, trained });
      return atHand();
    };
    // Along the gradient the derivative is its norm.
    const difference = ((await moved(step)) - (await moved(-step))) / (2 * step);
    expect(Math.abs(difference / norm - 1)).toBeLessThan(0.02);

    engine.loadState(state);
    for (let i = 0; i < 20; i++) {
      await engine.forwardBackward(pairs, loss);
      await engine.optimStep(5e-3);
    }
    expect(await atHand()).toBeLessThan(0.5 * value);
  });
});

test('four updates a sample: the first is that of every ratio 1, and clipping tells later ones apart', async () => {
  const losses = ['importance_sampling', 'ppo'] as const;
  const runs = [];
  for (const loss of losses) {
    const { engine } = await open();
    const request = { promptIds: [3, 4, 5], samples: 8, seed: 1, step: 1, problem: 0 };
    const [group] = await engine.sample([request], { maxTokens: 12 });
    const answers = (group?.completions ?? []).map(({ tokens, logprobs }, i) => ({
      promptIds: request.promptIds,
      tokens,
      samplerLogprobs: logprobs,
      advantages: tokens.map(() => (i % 2 === 0 ? 1 : -1)),
    }));
    const wanted = -sum(answers.flatMap(({ advantages }) => advantages));
    const steps = [];
    for (let update = 0; update < 4; update++) {
      const { loss: value } = await engine.forwardBackward(answers, loss);
      steps.push({ value, ...(await engine.optimStep(0.02)) });
    }
    expect(Math.abs((steps[0]?.value ?? NaN) - wanted)).toBeLessThan(1e-3);
    runs.push(steps.map(({ gradNorm }) => gradNorm));
  }
  const [plain = [], clipped = []] = runs;
  expect(Math.abs((plain[0] ?? NaN) / (clipped[0] ?? NaN) - 1)).toBeLessThan(1e-3);
  expect(clipped[3]).toBeLessThan(0.9 * (plain[3] ?? NaN));
});

test('a student learns the probabilities of a teacher in an engine beside its own', async () => {
  const [teacher, student] = [await open(), await open({ loraRank: 4, loraAlpha: 8 })];
  const batch = engineBatch(2, 8).map(({ promptIds, tokens }) => ({ promptIds, tokens }));
  for (let i = 0; i < 5; i++) {
    await teacher.engine.forwardBackward(engineBatch(7), { loss: 'reinforce', reduction: 'sum' });
    await teacher.engine.optimStep(0.02);
  }
  const { logprobs: taught } = await teacher.engine.computeLogprobs(batch);
  const lesson = batch.map((sequence, i) => ({ ...sequence, referenceLogprobs: taught[i] ?? [] }));
  const { tf } = student;
  const distance: CustomLoss = ({ logprob, referenceLogprob, mask }) =>
    tf.div(tf.sum(tf.mul(tf.squaredDifference(logprob, referenceLogprob), mask)), tf.sum(mask));
  const found: number[] = [];
  for (let i = 0; i < 40; i++) {
    found.push((await student.engine.forwardBackward(lesson, distance)).loss);
    await student.engine.optimStep(0.02);
  }
  expect(found[0]).toBeGreaterThan(0.01);
  expect(found.at(-1)).toBeLessThan(0.2 * (found[0] ?? NaN));
  const { logprobs: still } = await teacher.engine.computeLogprobs(batch);
  expect(Math.max(...still.map((row, i) => worstDifference(row, taught[i] ?? [])))).toBe(0);
});
