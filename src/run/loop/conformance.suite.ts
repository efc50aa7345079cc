/** The model, our losses and greedy decoding against a float64 implementation of the published architectures. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelFiles } from '@rl-playground/engine/parts';
import { tf, gemm, rmsNorm, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { summary, worstDifference } from '@rl-playground/engine/testing/accuracy';
import {
  openReferenceModel,
  REFERENCE_POSITIONS,
  type ReferenceModel,
} from '@rl-playground/engine/testing/referenceModel';
import { layoutOf, wholeBatch, type Layout } from '@rl-playground/engine/testing/referenceSequences';
import { tokenTable } from '@rl-playground/engine/testing/tokenTable';
import { lossConformance, REFERENCE_LOSSES } from './lossConformance.suite.ts';

const TOLERANCE = 1e-4;

const breathe = (): Promise<void> => Promise.resolve();

const sequence = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

function conformanceOf(files: ModelFiles, losses: readonly string[], decoding: boolean): void {
  let reference: ReferenceModel;
  let layout: Layout;
  beforeAll(async () => {
    reference = await openReferenceModel(files);
    layout = layoutOf(reference);
  });
  afterAll(() => reference.dispose());

  test('logits, log-probabilities and entropy', async ({ annotate }) => {
    const { model } = reference;
    const { batch, length, lengths } = layout;
    const state = await model.forward(wholeBatch(reference, layout), breathe);
    const allLogits = tf.tidy(() => {
      const normed = rmsNorm(state.hidden, model.weights.get('model.norm.weight'), model.config.rmsEps);
      return gemm(normed, model.weights.head, 'nt');
    });
    const results = { logits: allLogits, ...(await model.logprobs(state, 1, breathe)) };
    const { vocabSize } = model.config;
    const rows = sequence(batch * length).filter((i) => i % length < (lengths[Math.floor(i / length)] ?? 0));
    const logits = rows.flatMap((row) => sequence(vocabSize).map((v) => row * vocabSize + v));
    const predicted = rows.filter((i) => (i % length) + 1 < (lengths[Math.floor(i / length)] ?? 0));
    const perToken = (values: ArrayLike<number>) => predicted.map((i) => values[i] ?? NaN);
    const inReference = (values: ArrayLike<number>) =>
      predicted.map((i) => values[i - Math.floor(i / length)] ?? NaN);
    const worst = {
      logits: worstDifference(await results.logits.data(), reference.expected('logits'), logits),
      logprobs: worstDifference(
        perToken(await results.logprob.data()),
        inReference(reference.expected('logprobs')),
      ),
      entropy: worstDifference(
        perToken(await results.entropy.data()),
        inReference(reference.expected('entropy')),
      ),
    };
    model.release(state);
    tf.dispose(results);
    await annotate(`largest differences ${summary(worst)}`);
    expect(Math.max(...Object.values(worst))).toBeLessThan(TOLERANCE);
  });

  lossConformance(() => reference, losses);

  test.runIf(decoding)('greedy continuation', async () => {
    const { prompt, completion } = reference.answers.greedy;
    const { config, pool: weights } = reference.model;
    const pool = createLocalPool({ config, stopTokenIds: [], positions: REFERENCE_POSITIONS });
    await pool.setWeights(0, await weights.pack());
    const [group] = await pool.generate([{ promptIds: prompt, samples: 1, seed: 0, step: 0, problem: 0 }], {
      temperature: 0,
      topP: 1,
      topK: 0,
      maxTokens: completion.length,
      stop: [],
    });
    pool.dispose();
    expect(group?.completions[0]?.tokens).toEqual(completion);
  });

  test.runIf(decoding)('greedy continuation up to a stop string over three tokens', async () => {
    const { prompt, completion } = reference.answers.greedy;
    const { config, pool: weights } = reference.model;
    // Each token a text of its own, so that only these three make the stop string.
    const pieces = Array.from({ length: config.vocabSize }, (_, id) => `<${id}>`);
    const at = Math.floor(completion.length / 2);
    const middle = completion.slice(at - 1, at + 2).map((id) => pieces[id] ?? '');
    // From within the first of the three to within the last.
    const stop = [middle.join('').slice(1, -1)];
    const tokenBytes = tokenTable(pieces);
    const pool = createLocalPool({ config, stopTokenIds: [], positions: REFERENCE_POSITIONS, tokenBytes });
    await pool.setWeights(0, await weights.pack());
    const sampling = { temperature: 0, topP: 1, topK: 0, maxTokens: completion.length, stop };
    const requests = [{ promptIds: prompt, samples: 1, seed: 0, step: 0, problem: 0 }];
    const [group] = await pool.generate(requests, sampling);
    pool.dispose();
    const texts = completion.map((_, i) => completion.slice(0, i + 1).map((id) => pieces[id]));
    const kept = texts.findIndex((text) => text.join('').includes(stop[0] ?? '')) + 1;
    expect(kept).toBeGreaterThan(2);
    expect(group?.completions[0]).toMatchObject({ tokens: completion.slice(0, kept), stopReason: 'stop' });
  });
}

/** `losses`: names of the reference data, by default all of them. `decoding`: answers are decoded too. */
export function conformanceSuite(
  models: readonly ModelFiles[],
  losses = REFERENCE_LOSSES,
  decoding = true,
): void {
  test('there are reference models', () => expect(models.length).toBeGreaterThan(0));
  for (const files of models) {
    describe(`${files.label}`, () => {
      conformanceOf(files, losses, decoding);
    });
  }
}
