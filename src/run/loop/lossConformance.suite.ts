/** Losses, gradients and metrics through the trainer against a float64 implementation of models, losses and metrics. */
import { expect, test } from 'vitest';
import {
  packMicrobatches,
  type LossSettings,
  type LossName,
  type Reduction,
  reductionOf,
  weightsOfWhole,
  measureUpdate,
} from '@rl-playground/engine/parts';
import {
  tf,
  Gradients,
  PLAIN_LOSS,
  tokenLoss,
  Optimizer,
  forwardBackward,
  forwardOnly,
  trainStep,
} from '@rl-playground/engine/parts/tensors';
import { relativeError, summary, worstDifference } from '@rl-playground/engine/testing/accuracy';
import { evaluatedLoss } from '@rl-playground/engine/testing/lossOnDevice';
import type { ReferenceModel } from '@rl-playground/engine/testing/referenceModel';
import { atCompletions, referenceSequences } from '@rl-playground/engine/testing/referenceSequences';
import { contextWith, rolloutWith, trainedWith } from '../testing/stepContext.ts';
import { stepMetrics } from '../metrics/metrics.ts';

const TOLERANCE = 1e-4;
const GRADIENT_TOLERANCE = 1e-3;
/** L_max of the reference data. */
const MAX_LENGTH = 64;
const BOUNDS = { low: 0.8, high: 1.2 };

interface Case {
  readonly loss: LossName;
  readonly reduction?: Reduction;
  readonly changes?: Partial<LossSettings>;
}

/** The cases by the names of the reference data. */
const CASES: Readonly<Record<string, Case>> = {
  importance_sampling: { loss: 'importance_sampling' },
  ppo: { loss: 'ppo' },
  cispo: { loss: 'cispo' },
  'dro_beta_0.05': { loss: 'dro' },
  grpo: { loss: 'grpo' },
  'grpo_beta_0.1': { loss: 'grpo', changes: { kl: { estimator: 'k3', beta: 0.1 } } },
  bnpo: { loss: 'bnpo' },
  dapo: { loss: 'dapo' },
  dr_grpo: { loss: 'dr_grpo' },
  gspo_grpo: { loss: 'grpo', changes: { ratioLevel: 'sequence' } },
  reinforce_seq_mean: { loss: 'reinforce', reduction: 'sequence_mean' },
};

export const REFERENCE_LOSSES: readonly string[] = Object.keys(CASES);

const breathe = (): Promise<void> => Promise.resolve();

const caseOf = (name: string): Case => {
  const found = CASES[name];
  if (!found) throw new Error(`${name} is no loss of ours.`);
  return found;
};

const lossOf = ({ loss, changes }: Case) =>
  tokenLoss({
    ...PLAIN_LOSS,
    ...changes,
    loss,
  });

/** Takes the gradients through a run's trainer, in microbatches of at most `maxTokens`. */
async function trained(reference: ReferenceModel, name: string, gradients: Gradients, maxTokens: number) {
  const own = caseOf(name);
  const sequences = referenceSequences(reference);
  const weightOf = weightsOfWhole(sequences, reductionOf(own.loss, own.reduction ?? 'auto'), MAX_LENGTH);
  const options = { policy: reference.model, temperature: 1, loss: lossOf(own), breathe };
  const values = await forwardBackward(packMicrobatches(sequences, weightOf, maxTokens), options, gradients);
  return { ...values, weightOf };
}

/** d loss / d log p at each completion token, from the log-probabilities that the trainer found. */
async function derivatives(
  reference: ReferenceModel,
  name: string,
  logprobs: readonly ArrayLike<number>[],
  weightOf: (index: number) => number,
): Promise<number[][]> {
  const sequences = referenceSequences(reference);
  const length = Math.max(...sequences.map(({ tokens }) => tokens.length));
  const rows = (valuesOf: (i: number) => ArrayLike<number>): number[][] =>
    sequences.map((_, i) => Array.from({ length }, (_unused, t) => valuesOf(i)[t] ?? 0));
  const constant = (value: (i: number) => number) =>
    rows((i) => (sequences[i]?.tokens ?? []).map(() => value(i)));
  const samplerLogprob = rows((i) => sequences[i]?.samplerLogprobs ?? []);
  const { gradient } = await evaluatedLoss(lossOf(caseOf(name)), {
    logprob: rows((i) => logprobs[i] ?? []),
    oldLogprob: samplerLogprob,
    samplerLogprob,
    referenceLogprob: rows((i) => sequences[i]?.referenceLogprobs ?? []),
    advantage: rows((i) => sequences[i]?.advantages ?? []),
    mask: constant(() => 1),
    weights: constant(weightOf),
  });
  return gradient.map((row, i) => row.slice(0, sequences[i]?.tokens.length));
}

/** Adds the gradients of the mean entropy of the completions' positions, through the model's backward alone. */
async function addEntropyGradients(
  { model, ...reference }: ReferenceModel,
  gradients: Gradients,
): Promise<void> {
  const sequences = referenceSequences({ model, ...reference });
  const weightOf = weightsOfWhole(sequences, 'token_mean', MAX_LENGTH);
  for (const microbatch of packMicrobatches(sequences, weightOf, 1e6)) {
    const state = await model.forward(microbatch, breathe);
    const upstream = {
      logprob: tf.zeros<tf.Rank.R1>([microbatch.ids.length]),
      entropy: tf.tensor1d(microbatch.weights),
    };
    await model.backward(state, upstream, 1, gradients, breathe);
    model.release(state);
    tf.dispose([upstream.logprob, upstream.entropy]);
  }
}

export function lossConformance(opened: () => ReferenceModel, losses: readonly string[]): void {
  test('every loss of the reference data is one of ours', () => {
    expect(Object.keys(opened().answers.losses).sort()).toEqual(REFERENCE_LOSSES.toSorted());
  });

  test.each(losses)('%s: value and derivatives by log-probability', async (name) => {
    const reference = opened();
    const expected = reference.answers.losses[name] ?? NaN;
    for (const maxTokens of [1e6, 1]) {
      const gradients = new Gradients(reference.model.config);
      const { loss, logprobs, weightOf } = await trained(reference, name, gradients, maxTokens);
      gradients.dispose();
      expect(Math.abs(loss - expected)).toBeLessThan(TOLERANCE * Math.max(1, Math.abs(expected)));
      const found = await derivatives(reference, name, logprobs, weightOf);
      const wanted = atCompletions(reference, `dlogprobs/${name}`);
      expect(wanted.flat().some((derivative) => derivative !== 0)).toBe(true);
      expect(worstDifference(found.flat(), wanted.flat())).toBeLessThan(TOLERANCE);
    }
  });

  test('gradients of every parameter', async ({ annotate }) => {
    const reference = opened();
    const wanted = [...reference.tensors.keys()].filter((name) => name.startsWith('grad/'));
    const losses = [...new Set(wanted.map((name) => name.split('/')[1] ?? ''))];
    expect(losses.length).toBeGreaterThan(0);
    const worst: Record<string, number> = {};
    const problems: string[] = [];
    for (const loss of losses) {
      const gradients = new Gradients(reference.model.config);
      if (loss === 'entropy_mean') await addEntropyGradients(reference, gradients);
      else await trained(reference, loss, gradients, 1e6);
      const actual = await gradients.toHuggingFace();
      gradients.dispose();
      expect(wanted.filter((name) => name.startsWith(`grad/${loss}/`))).toHaveLength(actual.size);
      for (const [name, { data }] of actual) {
        const error = relativeError(data, reference.expected(`grad/${loss}/${name}`));
        worst[loss] = Math.max(worst[loss] ?? 0, error);
        if (!(error < GRADIENT_TOLERANCE)) problems.push(`${loss}, ${name}: off by ${error}`);
      }
    }
    await annotate(`largest relative errors ${summary(worst)}`);
    expect(problems).toEqual([]);
  });

  test('the gradient norm of an update is that of all parameters together', async () => {
    const reference = opened();
    const name = 'grpo_beta_0.1';
    const own = caseOf(name);
    const sequences = referenceSequences(reference);
    const weightOf = weightsOfWhole(sequences, reductionOf(own.loss, 'auto'), MAX_LENGTH);
    const settings = { beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0, clipNorm: 0 };
    const optimizer = new Optimizer(reference.model.pool, settings);
    // A learning rate of 0 leaves the model to the other tests.
    const { gradNorm } = await trainStep(packMicrobatches(sequences, weightOf, 1e6), 0, {
      policy: reference.model,
      temperature: 1,
      loss: lossOf(own),
      breathe,
      optimizer,
    });
    optimizer.dispose();
    const squares = [...reference.tensors]
      .filter(([tensor]) => tensor.startsWith(`grad/${name}/`))
      .flatMap(([, { values }]) => [...values].map((value) => value * value));
    const norm = Math.sqrt(squares.reduce((sum, square) => sum + square, 0));
    expect(Math.abs(gradNorm / norm - 1)).toBeLessThan(GRADIENT_TOLERANCE);
  });

  test('the metrics that a step reports', async ({ annotate }) => {
    const reference = opened();
    const sequences = referenceSequences(reference);
    const microbatches = packMicrobatches(sequences, () => 1, 1e6);
    const options = { policy: reference.model, temperature: 1, breathe };
    const { logprobs, entropies } = await forwardOnly(microbatches, options);
    const context = contextWith(
      sequences.map(({ tokens, samplerLogprobs, referenceLogprobs = [] }, i) =>
        rolloutWith({
          tokens,
          logprobs: Array.from(samplerLogprobs),
          trained: trainedWith({
            logprobs: logprobs[i] ?? [],
            referenceLogprobs,
            entropies: entropies[i] ?? [],
          }),
        }),
      ),
    );
    const values = stepMetrics(context, []);
    const update = measureUpdate(sequences, logprobs, { clip: BOUNDS, ratioLevel: 'token' }, false);
    const found: Record<string, number | null> = {
      kl_sample_train_v1: values.klSampleTrainV1,
      kl_sample_train_v2: values.klSampleTrainV2,
      sampler_entropy: values.samplerEntropy,
      mean_token_entropy: values.entropy,
      k3_reference_token_mean: values.kl,
      clip_low_frac: update.clippedLow,
      clip_high_frac: update.clippedHigh,
    };
    const { metrics } = reference.answers;
    expect(Object.keys(found).sort()).toEqual(Object.keys(metrics).sort());
    const errors = Object.fromEntries(
      Object.entries(found).map(([name, value]) => [name, Math.abs((value ?? NaN) - (metrics[name] ?? NaN))]),
    );
    await annotate(`differences ${summary(errors)}`);
    expect(Object.entries(errors).filter(([, error]) => !(error < TOLERANCE))).toEqual([]);
    expect(Math.abs(update.klSampleTrainV1 - (metrics['kl_sample_train_v1'] ?? NaN))).toBeLessThan(TOLERANCE);
  });
}
