/** The seven calls on a whole engine: what each gives, what it leaves alone, and that a saved state goes on to the bit. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { adapterLength } from '../model/lora.ts';
import { createLocalPool } from '../rollout/localPool.ts';
import type { GroupRequest, SamplingSettings } from '../rollout/decoding/types.ts';
import type { EngineOptions, OpenEngine } from './createEngine.ts';
import { relativeError, worstDifference } from '../testing/accuracy.ts';
import { engineBatch } from '../testing/engineBatch.ts';
import { filesInFolder } from '../hub/filesInNode.ts';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { openReferenceModel, REFERENCE_POSITIONS } from '../testing/referenceModel.ts';
import { atCompletions, referenceSequences } from '../testing/referenceSequences.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { tinyEngines } from '../testing/tinyEngine.ts';
import { Engine } from './engine.ts';
import { LOSS_NAMES } from '../loss/losses.ts';
import type { LossName } from '../loss/lossRows.ts';
import { Optimizer } from '../update/optimizer.ts';

const engines = tinyEngines();
const open = (settings: EngineOptions['settings'] = {}): Promise<OpenEngine> =>
  engines.open({ settings: { microBatchTokens: 64, ...settings } });

const LORA = { loraRank: 2, loraAlpha: 4 };
const LEARNING_RATE = 0.01;

const requests = (count = 4, samples = 3): GroupRequest[] =>
  engineBatch(3, count).map(({ promptIds }, problem) => ({ promptIds, samples, seed: 5, step: 1, problem }));

const trainedBits = async ({ engine }: OpenEngine): Promise<Float32Array> =>
  (await engine.policy.trainable.pack()).slice();

async function update({ engine }: OpenEngine, seed: number): Promise<number> {
  await engine.forwardBackward(engineBatch(seed), 'ppo');
  return (await engine.optimStep(LEARNING_RATE)).gradNorm;
}

describe('log-probabilities', () => {
  test.each([
    {},
    { temperature: 0.7 },
    { temperature: 1.6 },
    { topK: 4 },
    { topP: 0.6 },
  ] satisfies Partial<SamplingSettings>[])(
    'of the sampler and of the trainer are the same to 1e-4: %j',
    async (sampling) => {
      const { engine } = await open();
      const asked = requests();
      const groups = await engine.sample(asked, { maxTokens: 20, ...sampling });
      const answers = groups.flatMap(({ completions }, i) =>
        completions.map(({ tokens, logprobs }) => ({
          promptIds: asked[i]?.promptIds ?? [],
          tokens,
          logprobs,
        })),
      );
      expect(answers).toHaveLength(12);
      const { temperature = 1 }: Partial<SamplingSettings> = sampling;
      const { logprobs } = await engine.computeLogprobs(answers, 'policy', { temperature });
      answers.forEach((answer, i) => {
        expect(worstDifference(logprobs[i] ?? [], answer.logprobs)).toBeLessThan(1e-4);
      });
    },
  );

  test('of the reference stay while the policy learns', async () => {
    const made = await open();
    const batch = engineBatch(1);
    const before = await made.engine.computeLogprobs(batch);
    expect(await made.engine.computeLogprobs(batch, 'reference')).toEqual(before);
    await update(made, 2);
    expect(await made.engine.computeLogprobs(batch, 'reference')).toEqual(before);
    expect(await made.engine.computeLogprobs(batch)).not.toEqual(before);
  });
});

describeShared('reference models through the engine', 'refdata/models', (folder) => {
  const names = folder === '' ? [] : readdirSync(folder, { withFileTypes: true });
  const folders = names.filter((entry) => entry.isDirectory()).map(({ name }) => name);

  /** The losses that the reference data has, by our names, with its names. */
  const SAME: Readonly<Partial<Record<LossName, string>>> = {
    reinforce: 'reinforce_seq_mean',
    importance_sampling: 'importance_sampling',
    ppo: 'ppo',
    cispo: 'cispo',
    dro: 'dro_beta_0.05',
    grpo: 'grpo',
    bnpo: 'bnpo',
    dr_grpo: 'dr_grpo',
    dapo: 'dapo',
  };

  /** src/run/loop/conformance.test.ts computes the same numbers with every one. */
  const few = folders.filter((name) => /^(llama-gqa-untied|qwen3-qknorm-headdim)$/.test(name));

  test.each(provenBy(folders, few))(
    '%s: log-probabilities, entropies and all nine losses by name',
    async (name) => {
      const reference = await openReferenceModel(filesInFolder(join(folder, name), name));
      const policy = reference.model;
      const { config } = policy;
      const settings = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, clipNorm: 0 };
      const optimizer = new Optimizer(policy.pool, settings);
      const pool = createLocalPool({ config, stopTokenIds: [], positions: REFERENCE_POSITIONS });
      const engine = new Engine({
        policy,
        reference: policy,
        optimizer,
        pool,
        microBatchTokens: 64,
        breathe: () => Promise.resolve(),
        restore: (_, before) => before,
        renewReference: (before) => Promise.resolve(before),
      });
      const sequences = referenceSequences(reference);
      const found = await engine.computeLogprobs(sequences);
      expect(worstDifference(rows(found.logprobs), atCompletions(reference, 'logprobs').flat())).toBeLessThan(
        1e-4,
      );
      expect(worstDifference(rows(found.entropies), atCompletions(reference, 'entropy').flat())).toBeLessThan(
        1e-4,
      );
      const errors: Partial<Record<LossName, number>> = {};
      const losses = LOSS_NAMES.filter((loss) => loss in SAME);
      expect(losses).toHaveLength(9);
      for (const loss of losses) {
        const wanted = reference.answers.losses[SAME[loss] ?? ''] ?? NaN;
        const asked = loss === 'dr_grpo' ? { loss, maxLength: 64 } : loss;
        const { loss: value } = await engine.forwardBackward(sequences, asked);
        errors[loss] = Math.abs(value - wanted) / Math.max(1, Math.abs(wanted));
      }
      expect(Object.entries(errors).filter(([, error]) => !(error < 1e-4))).toEqual([]);
      for (const part of [pool, optimizer, policy]) part.dispose();
    },
  );
});

const rows = (values: readonly Float32Array[]): number[] => values.flatMap((row) => Array.from(row));

describe('gradients', () => {
  test('of two calls add up to those of one call on both', async () => {
    const made = await open();
    const [first, second] = [engineBatch(1), engineBatch(2)];
    const gradientAfter = async (...batches: (typeof first)[]): Promise<Float32Array> => {
      made.engine.clearGradients();
      for (const batch of batches) await made.engine.forwardBackward(batch, 'importance_sampling');
      return made.engine.optimizer.gradients.tensor.data<'float32'>();
    };
    const together = await gradientAfter([...first, ...second]);
    expect(relativeError(await gradientAfter(first, second), together)).toBeLessThan(1e-5);
    expect(relativeError(await gradientAfter(first), together)).toBeGreaterThan(0.1);
  });

  test('are gone after an update, and when cleared', async () => {
    const made = await open();
    expect(await update(made, 1)).toBeGreaterThan(0);
    const left = async (): Promise<Float32Array> =>
      (await made.engine.optimizer.gradients.tensor.data<'float32'>()).filter((value) => value !== 0);
    expect(await left()).toHaveLength(0);
    await made.engine.forwardBackward(engineBatch(1), 'ppo');
    expect((await left()).length).toBeGreaterThan(0);
    made.engine.clearGradients();
    expect(await left()).toHaveLength(0);
  });

  test('nothing to learn from is a loss of 0 and no gradient', async () => {
    const { engine } = await open();
    expect(await engine.forwardBackward([], 'ppo')).toEqual({ loss: 0, logprobs: [], entropies: [] });
    expect((await engine.optimStep(LEARNING_RATE)).gradNorm).toBe(0);
  });
});

describe('states', () => {
  test.each([{}, LORA])('training goes on from a saved one to the bit: %j', async (settings) => {
    const made = await open(settings);
    await update(made, 1);
    await made.engine.saveWeightsForSampler();
    const saved = await made.engine.saveState();
    const goOn = async (from: OpenEngine): Promise<unknown> => {
      const norms = [await update(from, 2), await update(from, 3)];
      return { norms, bits: await trainedBits(from), optimizer: (await from.engine.saveState()).optimizer };
    };
    const atSave = await trainedBits(made);
    const straight = await goOn(made);
    expect(await trainedBits(made)).not.toEqual(atSave);

    made.engine.loadState(saved);
    expect(await trainedBits(made)).toEqual(atSave);
    expect(made.engine.version).toBe(1);
    expect(await goOn(made)).toEqual(straight);

    const another = await open(settings);
    another.engine.loadState(saved);
    expect(await goOn(another)).toEqual(straight);
  });

  test('generators hear of a loaded state with the next hand-over alone', async () => {
    const made = await open();
    const sampled = () => made.engine.sample(requests(), { maxTokens: 12 });
    const tokens = async () =>
      (await sampled()).map(({ completions }) => completions.map((one) => one.tokens));
    const first = await tokens();
    const saved = await made.engine.saveState();
    for (const seed of [1, 2, 3]) await update(made, seed);
    await made.engine.saveWeightsForSampler();
    const later = await tokens();
    expect(later).not.toEqual(first);
    made.engine.loadState(saved);
    expect(await tokens()).toEqual(later);
    // Generators ignore versions that they have had, and they have had 1.
    expect(made.engine.version).toBe(0);
    expect(await made.engine.saveWeightsForSampler()).toBe(2);
    expect(await tokens()).toEqual(first);
  });
});

describe('handing over', () => {
  test('raises the version, and only then are samples others', async () => {
    const made = await open();
    const sampled = () => made.engine.sample(requests(), { maxTokens: 12 });
    const before = await sampled();
    expect(before.map(({ policyVersion }) => policyVersion)).toEqual([0, 0, 0, 0]);
    for (const seed of [1, 2, 3]) await update(made, seed);
    const unchanged = await sampled();
    expect(unchanged.map(({ completions }) => completions)).toEqual(
      before.map(({ completions }) => completions),
    );
    expect(await made.engine.saveWeightsForSampler()).toBe(1);
    const after = await sampled();
    expect(after.map(({ policyVersion }) => policyVersion)).toEqual([1, 1, 1, 1]);
    expect(after.map(({ completions }) => completions)).not.toEqual(
      before.map(({ completions }) => completions),
    );
  });

  test('under LoRA it is the bytes of the adapter alone, and the base stays', async () => {
    const made = await open({ ...LORA, loraTargets: ['q_proj', 'down_proj', 'lm_head'] });
    const { engine } = made;
    const adapter = engine.policy.adapter;
    if (adapter === null) throw new Error('The engine has no adapter.');
    const base = (await engine.policy.pool.pack()).slice();
    const first = await engine.computeLogprobs(engineBatch(4));
    for (const seed of [1, 2, 3]) await update(made, seed);
    await engine.saveWeightsForSampler();
    expect(engine.pool.handedOverBytes).toBe(4 * adapterLength(engines.model().config, adapter.settings));
    expect(engine.pool.handedOverBytes).toBeLessThan(4 * base.length);
    expect(await engine.policy.pool.pack()).toEqual(base);
    const now = await engine.computeLogprobs(engineBatch(4));
    expect(worstDifference(rows(now.logprobs), rows(first.logprobs))).toBeGreaterThan(0.01);
    expect(await engine.computeLogprobs(engineBatch(4), 'reference')).toEqual(first);

    const asked = requests();
    const [group] = await engine.sample(asked, { maxTokens: 12 });
    const answers = (group?.completions ?? []).map((one) => ({
      ...one,
      promptIds: asked[0]?.promptIds ?? [],
    }));
    const { logprobs } = await engine.computeLogprobs(answers);
    expect(
      worstDifference(
        rows(logprobs),
        answers.flatMap((answer) => answer.logprobs),
      ),
    ).toBeLessThan(1e-4);
  });
});

test('holds no tensor more after any call, and none once disposed of', async () => {
  const before = tf.memory().numTensors;
  const made = await open();
  const { engine } = made;
  const idle = tf.memory().numTensors;
  await engine.sample(requests(), { maxTokens: 8 });
  await engine.computeLogprobs(engineBatch(1));
  await engine.forwardBackward(engineBatch(1), 'grpo');
  await engine.forwardBackward(engineBatch(1), ({ logprob, mask }) => tf.sum(tf.mul(logprob, mask)));
  await engine.optimStep(LEARNING_RATE);
  await engine.saveWeightsForSampler();
  engine.loadState(await engine.saveState());
  expect(tf.memory().numTensors).toBe(idle);
  engines.closeLast();
  expect(tf.memory().numTensors).toBe(before);
});
