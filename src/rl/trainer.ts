/** Forward, loss and backward of one batch, microbatch by microbatch, and the update that follows. */
import { endMemoryStep } from '../backend/memory.ts';
import * as tf from '../backend/tf.ts';
import type { Breathe, LanguageModel } from '../model/languageModel.ts';
import type { Gradients } from '../model/weights.ts';
import type { Microbatch } from './batch.ts';
import { k3, type LossInputs } from './losses.ts';
import type { Optimizer } from './optimizer.ts';

/** Sums and means over the completion tokens of a batch, nats. */
export interface BatchStatistics {
  readonly loss: number;
  readonly entropy: number;
  /** Token mean of k3 against the reference policy. */
  readonly kl: number;
  readonly klSampleTrainV1: number;
  readonly klSampleTrainV2: number;
  readonly gradNorm: number;
}

export interface TrainerOptions {
  readonly policy: LanguageModel;
  /** The policy at the start of the run; null where there is no KL to measure (supervised training). */
  readonly reference: LanguageModel | null;
  readonly optimizer: Optimizer;
  /** The sampling temperature, which is the temperature of every log-probability. */
  readonly temperature: number;
  readonly loss: (inputs: LossInputs) => tf.Scalar;
  readonly breathe: Breathe;
}

/** One microbatch's per-token values and its share of the loss, still on the device. */
interface PendingValues {
  readonly logprob: tf.Tensor;
  readonly entropy: tf.Tensor;
  readonly k3: tf.Tensor;
  readonly loss: tf.Tensor;
}

/** Host copies of the same. */
interface TokenValues {
  readonly logprob: Float32Array;
  readonly entropy: Float32Array;
  readonly k3: Float32Array;
  readonly loss: number;
}

/**
 * One update on `microbatches`. `onProgress` hears the padded tokens done. Throws before any change to the weights when
 * the gradient is not finite. A microbatch's values are read while the next one runs, so the device does not wait.
 */
export async function trainStep(
  microbatches: readonly Microbatch[],
  learningRate: number,
  options: TrainerOptions,
  onProgress: (doneTokens: number) => void = () => {},
): Promise<BatchStatistics> {
  const { optimizer } = options;
  const sums = { loss: 0, entropy: 0, kl: 0, v1: 0, v2: 0, tokens: 0 };
  const add = (microbatch: Microbatch, values: TokenValues): void => {
    sums.loss += values.loss;
    microbatch.weights.forEach((weight, i) => {
      if (weight === 0) return;
      const gap = (microbatch.samplerLogprobs[i] as number) - (values.logprob[i] as number);
      sums.tokens++;
      sums.entropy += values.entropy[i] as number;
      sums.kl += values.k3[i] as number;
      sums.v1 += gap;
      sums.v2 += 0.5 * gap * gap;
    });
    onProgress(microbatch.batch * microbatch.length);
  };
  let pending: { microbatch: Microbatch; values: PendingValues } | null = null;
  try {
    for (const microbatch of microbatches) {
      const before = pending;
      pending = { microbatch, values: await launchMicrobatch(microbatch, options, optimizer.gradients) };
      if (before) add(before.microbatch, await read(before.values));
    }
    const [{ gradNorm }, last] = await Promise.all([
      optimizer.update(learningRate),
      pending ? read(pending.values) : null,
    ]);
    if (pending && last) add(pending.microbatch, last);
    endMemoryStep();
    return {
      loss: sums.loss,
      entropy: sums.entropy / sums.tokens,
      kl: sums.kl / sums.tokens,
      klSampleTrainV1: sums.v1 / sums.tokens,
      klSampleTrainV2: sums.v2 / sums.tokens,
      gradNorm,
    };
  } catch (error) {
    if (pending) tf.dispose({ ...pending.values });
    optimizer.clearGradients();
    throw error;
  }
}

/** Adds the gradient of one microbatch's share of the loss; exported for the numeric tests. */
export async function forwardBackward(
  microbatch: Microbatch,
  options: Omit<TrainerOptions, 'optimizer'>,
  gradients: Gradients,
): Promise<TokenValues> {
  return read(await launchMicrobatch(microbatch, options, gradients));
}

async function launchMicrobatch(
  microbatch: Microbatch,
  { policy, reference, temperature, loss, breathe }: Omit<TrainerOptions, 'optimizer'>,
  gradients: Gradients,
): Promise<PendingValues> {
  const referenceLogprob = reference
    ? await referenceLogprobs(reference, microbatch, temperature, breathe)
    : null;
  const state = await policy.forward(microbatch, breathe);
  const { logprob, entropy } = policy.logprobs(state, temperature);
  const held = {
    samplerLogprob: tf.tensor1d(microbatch.samplerLogprobs),
    referenceLogprob: referenceLogprob ?? logprob.clone(),
    advantage: tf.tensor1d(microbatch.advantages),
    weights: tf.tensor1d(microbatch.weights),
  };
  const { value, grads } = tf.valueAndGrads((logprobs: tf.Tensor) =>
    loss({ ...held, logprob: logprobs as tf.Tensor1D }),
  )([logprob]);
  const [dlogprob] = grads as [tf.Tensor];
  const dentropy = tf.zerosLike(entropy);
  const divergence = tf.tidy(() => k3({ logprob, referenceLogprob: held.referenceLogprob }));
  await policy.backward(state, { logprob: dlogprob, entropy: dentropy }, temperature, gradients, breathe);
  policy.release(state);
  tf.dispose([dlogprob, dentropy, ...Object.values(held)]);
  return { logprob, entropy, k3: divergence, loss: value };
}

async function read(values: PendingValues): Promise<TokenValues> {
  const [logprob, entropy, k3s, loss] = await Promise.all([
    values.logprob.data<'float32'>(),
    values.entropy.data<'float32'>(),
    values.k3.data<'float32'>(),
    values.loss.data<'float32'>(),
  ]);
  tf.dispose({ ...values });
  return { logprob, entropy, k3: k3s, loss: loss[0] as number };
}

async function referenceLogprobs(
  reference: LanguageModel,
  microbatch: Microbatch,
  temperature: number,
  breathe: Breathe,
): Promise<tf.Tensor1D> {
  const state = await reference.forward(microbatch, breathe, { forBackward: false });
  const { logprob, entropy } = reference.logprobs(state, temperature);
  entropy.dispose();
  reference.release(state);
  return logprob;
}
