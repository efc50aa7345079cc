/** The model, our losses and greedy decoding against a float64 implementation of the published architectures. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import type { ModelFiles } from '../hub/types.ts';
import { gemm, rmsNorm } from '../kernels/index.ts';
import type { TokenBatch } from '../model/languageModel.ts';
import { Gradients } from '../model/weights.ts';
import { createLocalPool } from '../rollout/localPool.ts';
import { relativeError, summary, worstDifference } from '../testing/accuracy.ts';
import { tokenTable } from '../testing/tokenTable.ts';
import { openReferenceModel, REFERENCE_POSITIONS, type ReferenceModel } from '../testing/referenceModel.ts';
import { packMicrobatches, type LossReduction, type Microbatch } from './batch.ts';
import { k3, lossOf, type LossChoice, type LossInputs } from './losses.ts';
import { Optimizer } from './optimizer.ts';
import { forwardBackward, trainStep } from './trainer.ts';

const TOLERANCE = 1e-4;
const GRADIENT_TOLERANCE = 1e-3;

/** The losses of the reference data that are ours, by their name there. */
const OUR_LOSSES: ReadonlyMap<string, LossChoice & { readonly reduction: LossReduction }> = new Map([
  ['grpo', { algorithm: 'grpo', klBeta: 0, reduction: 'sequence_mean' }],
  ['grpo_beta_0.1', { algorithm: 'grpo', klBeta: 0.1, reduction: 'sequence_mean' }],
  ['bnpo', { algorithm: 'grpo', klBeta: 0, reduction: 'token_mean' }],
  ['dapo', { algorithm: 'grpo', klBeta: 0, reduction: 'token_mean' }],
  ['reinforce_seq_mean', { algorithm: 'reinforce', klBeta: 0, reduction: 'sequence_mean' }],
]);

const breathe = (): Promise<void> => Promise.resolve();

/** Where things lie in the reference data: three right-padded sequences, per-token values on the next-token axis. */
interface Layout {
  readonly batch: number;
  readonly length: number;
  readonly lengths: readonly number[];
  readonly promptLengths: readonly number[];
}

function layoutOf(reference: ReferenceModel): Layout {
  const [batch = 0, length = 0] = reference.tensors.get('input_ids')?.shape ?? [];
  const lengths = [...reference.expected('lengths')];
  return { batch, length, lengths, promptLengths: [...reference.expected('prompt_lengths')] };
}

const sequence = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** All sequences as one batch of the reference's own length, predicting the next token everywhere. */
function wholeBatch(reference: ReferenceModel, { batch, length }: Layout): TokenBatch {
  const ids = Int32Array.from(reference.expected('input_ids'));
  const targets = ids.map((_, i) => (i % length === length - 1 ? 0 : (ids[i + 1] ?? 0)));
  return { batch, length, ids, targets };
}

/** The completions packed as the trainer packs them, and for each completion token its place in the reference's arrays. */
function packed(
  reference: ReferenceModel,
  { batch, length, lengths, promptLengths }: Layout,
  reduction: LossReduction,
): { microbatch: Microbatch; places: Map<number, number> } {
  const ids = reference.expected('input_ids');
  const sampler = reference.expected('sampler_logprobs');
  const advantages = reference.expected('advantages');
  // Longest first, which is the packer's own order.
  const order = sequence(batch).sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0));
  const parts = order.map((row) => {
    const [prompt, end] = [promptLengths[row] ?? 0, lengths[row] ?? 0];
    const first = row * (length - 1) + prompt - 1;
    return {
      first,
      promptIds: Array.from(ids.subarray(row * length, row * length + prompt)),
      tokens: Array.from(ids.subarray(row * length + prompt, row * length + end)),
      samplerLogprobs: Array.from(sampler.subarray(first, first + end - prompt)),
      advantage: advantages[first] ?? NaN,
    };
  });
  const [microbatch, ...others] = packMicrobatches(parts, reduction, 1e6);
  if (!microbatch || others.length > 0) throw new Error('The reference sequences must fit one microbatch.');
  const places = new Map(
    parts.flatMap(({ first, promptIds, tokens }, b) =>
      tokens.map((_, i) => [b * microbatch.length + promptIds.length - 1 + i, first + i] as const),
    ),
  );
  return { microbatch, places };
}

/** An array of the reference at the places of a packed microbatch, 0 elsewhere. */
function atPlaces(values: Float64Array, places: ReadonlyMap<number, number>, size: number): Float32Array {
  return Float32Array.from({ length: size }, (_, i) => values[places.get(i) ?? -1] ?? 0);
}

function conformanceOf(files: ModelFiles): void {
  let reference: ReferenceModel;
  let layout: Layout;
  beforeAll(async () => {
    reference = await openReferenceModel(files);
    layout = layoutOf(reference);
  });
  afterAll(() => reference.dispose());

  /** A loss of ours on the reference's own log-probabilities of the reference policy. */
  function lossFunction(name: string, places: ReadonlyMap<number, number>) {
    const choice = OUR_LOSSES.get(name);
    if (!choice) throw new Error(`${name} is no loss of ours.`);
    const expected = reference.expected('reference_logprobs');
    return (inputs: LossInputs): tf.Scalar =>
      lossOf(choice)({
        ...inputs,
        referenceLogprob: tf.tensor1d(atPlaces(expected, places, inputs.logprob.size)),
      });
  }

  test('logits, log-probabilities and entropy', async ({ annotate }) => {
    const { model } = reference;
    const { batch, length, lengths } = layout;
    const state = await model.forward(wholeBatch(reference, layout), breathe);
    const results = tf.tidy(() => {
      const normed = rmsNorm(state.hidden, model.weights.get('model.norm.weight'), model.config.rmsEps);
      return { logits: gemm(normed, model.weights.head, 'nt'), ...model.logprobs(state, 1) };
    });
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

  test('losses, their derivatives by log-probability, and the metrics of a step', async ({ annotate }) => {
    const { model, answers } = reference;
    const worst: Record<string, number> = {};
    for (const [name, { reduction }] of OUR_LOSSES) {
      const { microbatch, places } = packed(reference, layout, reduction);
      const loss = lossFunction(name, places);
      const gradients = new Gradients(model.config);
      const options = { policy: model, reference: null, temperature: 1, loss, breathe };
      const values = await forwardBackward(microbatch, options, gradients);
      gradients.dispose();
      worst[name] = Math.abs(values.loss - (answers.losses[name] ?? NaN));
      const [derivative] = tf.tidy(() => {
        const held = {
          samplerLogprob: tf.tensor1d(microbatch.samplerLogprobs),
          referenceLogprob: tf.zeros([microbatch.ids.length]),
          advantage: tf.tensor1d(microbatch.advantages),
          weights: tf.tensor1d(microbatch.weights),
        } as const;
        return tf.grads((logprob: tf.Tensor) =>
          loss({
            ...held,
            referenceLogprob: held.referenceLogprob as tf.Tensor1D,
            logprob: logprob as tf.Tensor1D,
          }),
        )([tf.tensor1d(values.logprob)]);
      }) as [tf.Tensor];
      const expected = reference.expected(`dlogprobs/${name}`);
      worst[`d ${name}`] = worstDifference(
        await derivative.data(),
        atPlaces(expected, places, microbatch.ids.length),
      );
      derivative.dispose();
    }
    const { microbatch, places } = packed(reference, layout, 'sequence_mean');
    const optimizer = new Optimizer(model.weights, {
      beta1: 0.9,
      beta2: 0.99,
      epsilon: 1e-8,
      weightDecay: 0,
      clipNorm: 0,
    });
    const options = { policy: model, reference: model, optimizer, temperature: 1, breathe };
    const loss = lossFunction('grpo_beta_0.1', places);
    const step = await trainStep([microbatch], 0, { ...options, loss });
    optimizer.dispose();
    const difference = (value: number, name: string) => Math.abs(value - (answers.metrics[name] ?? NaN));
    worst['v1'] = difference(step.klSampleTrainV1, 'kl_sample_train_v1');
    worst['v2'] = difference(step.klSampleTrainV2, 'kl_sample_train_v2');
    worst['mean entropy'] = difference(step.entropy, 'mean_token_entropy');
    worst['kl to itself'] = Math.abs(step.kl);
    worst['k3'] = difference(await tokenMeanOfK3(microbatch, places), 'k3_reference_token_mean');
    await annotate(`differences ${summary(worst)}`);
    expect(Object.entries(worst).filter(([, value]) => !(value < TOLERANCE))).toEqual([]);
    const squares = [...reference.tensors]
      .filter(([name]) => name.startsWith('grad/grpo_beta_0.1/'))
      .flatMap(([, { values }]) => [...values].map((value) => value * value));
    const norm = Math.sqrt(squares.reduce((sum, square) => sum + square, 0));
    expect(step.gradNorm / norm).toBeCloseTo(1, 3);
  });

  async function tokenMeanOfK3(microbatch: Microbatch, places: ReadonlyMap<number, number>): Promise<number> {
    const { model } = reference;
    const state = await model.forward(microbatch, breathe, { forBackward: false });
    const { logprob, entropy } = model.logprobs(state, 1);
    const expected = atPlaces(reference.expected('reference_logprobs'), places, logprob.size);
    const divergence = tf.tidy(() => k3({ logprob, referenceLogprob: tf.tensor1d(expected) }));
    const values = await divergence.data();
    model.release(state);
    tf.dispose([logprob, entropy, divergence]);
    return [...places.keys()].reduce((sum, at) => sum + (values[at] ?? NaN), 0) / places.size;
  }

  test('gradients of every parameter', async ({ annotate }) => {
    const { model } = reference;
    const wanted = [...reference.tensors.keys()].filter((name) => name.startsWith('grad/'));
    const losses = [...new Set(wanted.map((name) => name.split('/')[1] ?? ''))];
    expect(losses.length).toBeGreaterThan(0);
    const worst: Record<string, number> = {};
    const problems: string[] = [];
    for (const loss of losses) {
      const gradients = new Gradients(model.config);
      await addGradients(loss, gradients);
      const actual = await gradients.toHuggingFace();
      gradients.dispose();
      const names = [...actual.keys()];
      expect(wanted.filter((name) => name.startsWith(`grad/${loss}/`))).toHaveLength(names.length);
      for (const name of names) {
        const error = relativeError(actual.get(name)?.data ?? [], reference.expected(`grad/${loss}/${name}`));
        worst[loss] = Math.max(worst[loss] ?? 0, error);
        if (!(error < GRADIENT_TOLERANCE)) problems.push(`${loss}, ${name}: off by ${error}`);
      }
    }
    await annotate(`largest relative errors ${summary(worst)}`);
    expect(problems).toEqual([]);
  });

  /** Through the trainer for the losses that are ours; others by their derivatives by log-probability or entropy. */
  async function addGradients(loss: string, gradients: Gradients): Promise<void> {
    const { model } = reference;
    const ours = OUR_LOSSES.get(loss);
    const { microbatch, places } = packed(reference, layout, ours?.reduction ?? 'token_mean');
    if (ours) {
      const options = { policy: model, reference: null, temperature: 1, breathe };
      await forwardBackward(microbatch, { ...options, loss: lossFunction(loss, places) }, gradients);
      return;
    }
    const none = new Float32Array(microbatch.ids.length);
    const isEntropy = loss === 'entropy_mean';
    const derivatives = isEntropy
      ? none
      : atPlaces(reference.expected(`dlogprobs/${loss}`), places, none.length);
    const upstream = {
      logprob: tf.tensor1d(derivatives),
      entropy: tf.tensor1d(isEntropy ? microbatch.weights : none),
    };
    const state = await model.forward(microbatch, breathe);
    await model.backward(state, upstream, 1, gradients, breathe);
    model.release(state);
    tf.dispose([upstream.logprob, upstream.entropy]);
  }

  test('greedy continuation', async () => {
    const { prompt, completion } = reference.answers.greedy;
    const { config, weights } = reference.model;
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

  test('greedy continuation up to a stop string over three tokens', async () => {
    const { prompt, completion } = reference.answers.greedy;
    const { config, weights } = reference.model;
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

export function conformanceSuite(models: readonly ModelFiles[]): void {
  test('there are reference models', () => expect(models.length).toBeGreaterThan(0));
  for (const files of models) {
    describe(`${files.label}`, () => {
      conformanceOf(files);
    });
  }
}
