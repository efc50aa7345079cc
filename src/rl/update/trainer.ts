/** Forward, loss and backward of sequences, microbatch by microbatch, and the update that may follow. */
import { endMemoryStep } from '../../backend/memory.ts';
import * as tf from '../../backend/tf.ts';
import type { Breathe, LanguageModel } from '../../model/languageModel.ts';
import type { TrainedGradients } from '../../model/adapter.ts';
import { unpackRows, type Microbatch } from './batch.ts';
import { lossDerivatives } from '../loss/derivatives.ts';
import type { LossInputs, TokenLoss } from '../loss/inputs.ts';
import type { Optimizer } from './optimizer.ts';

export interface PassOptions {
  readonly policy: LanguageModel;
  /** The sampling temperature, which is the temperature of every log-probability. */
  readonly temperature: number;
  readonly breathe: Breathe;
  /** Hears the padded tokens done since it was last called. */
  readonly onProgress?: (tokens: number) => void;
}

export interface BackwardOptions extends PassOptions {
  readonly loss: TokenLoss;
  /** p_old = stop-gradient(p): the ratio is exactly 1, as in TRL where each batch is trained on once. */
  readonly ratioToItself?: boolean;
}

/** Of each sequence that was packed, values of its completion tokens, nats. */
export interface TokenValues {
  /** log p before the update. */
  readonly logprobs: Float32Array[];
  /** Entropy of the full distribution. */
  readonly entropies: Float32Array[];
}

export interface BackwardValues extends TokenValues {
  readonly loss: number;
}

/** One microbatch's values, still on the device. */
interface Pending {
  readonly microbatch: Microbatch;
  readonly logprob: tf.Tensor;
  readonly entropy: tf.Tensor;
  readonly loss: tf.Tensor | null;
}

/**
 * Log-probability and entropy of every completion token; no gradient. `policy` may be any model: the reference, for one.
 */
export async function forwardOnly(
  microbatches: readonly Microbatch[],
  { policy, temperature, breathe, onProgress }: PassOptions,
): Promise<TokenValues> {
  const { logprobs, entropies } = await collect(microbatches, onProgress, async (microbatch) => {
    const state = await policy.forward(microbatch, breathe, { forBackward: false });
    const values = policy.logprobs(state, temperature);
    policy.release(state);
    return { microbatch, ...values, loss: null };
  });
  return { logprobs, entropies };
}

/**
 * Adds the gradient of the loss over all microbatches to `gradients`. A microbatch's values are read while the next one runs, so the
 * device does not wait.
 */
export async function forwardBackward(
  microbatches: readonly Microbatch[],
  options: BackwardOptions,
  gradients: TrainedGradients,
): Promise<BackwardValues> {
  return collect(microbatches, options.onProgress, (microbatch) => launch(microbatch, options, gradients));
}

/**
 * One update on `microbatches`. Throws before any change to the weights when the gradient is not finite.
 */
export async function trainStep(
  microbatches: readonly Microbatch[],
  learningRate: number,
  options: BackwardOptions & { readonly optimizer: Optimizer },
): Promise<BackwardValues & { readonly gradNorm: number }> {
  const { optimizer } = options;
  try {
    const values = await forwardBackward(microbatches, options, optimizer.gradients);
    const { gradNorm } = await optimizer.update(learningRate);
    endMemoryStep();
    return { ...values, gradNorm };
  } catch (error) {
    optimizer.clearGradients();
    throw error;
  }
}

async function collect(
  microbatches: readonly Microbatch[],
  onProgress: PassOptions['onProgress'],
  start: (microbatch: Microbatch) => Promise<Pending>,
): Promise<BackwardValues> {
  const logprobs: Float32Array[] = [];
  const entropies: Float32Array[] = [];
  let loss = 0;
  const finish = async (pending: Pending): Promise<void> => {
    const values = await read(pending);
    unpackRows(pending.microbatch, values.logprob, logprobs);
    unpackRows(pending.microbatch, values.entropy, entropies);
    loss += values.loss;
    onProgress?.(pending.microbatch.batch * pending.microbatch.length);
  };
  let pending: Pending | null = null;
  try {
    for (const microbatch of microbatches) {
      const before: Pending | null = pending;
      pending = await start(microbatch);
      if (before) await finish(before);
    }
    const last = pending;
    pending = null;
    if (last) await finish(last);
    return { loss, logprobs, entropies };
  } catch (error) {
    if (pending) disposePending(pending);
    throw error;
  }
}

async function launch(
  microbatch: Microbatch,
  { policy, temperature, loss, breathe, ratioToItself = false }: BackwardOptions,
  gradients: TrainedGradients,
): Promise<Pending> {
  const { batch, length } = microbatch;
  const shape: [number, number] = [batch, length];
  const state = await policy.forward(microbatch, breathe);
  const { logprob, entropy } = policy.logprobs(state, temperature);
  const grid = (values: Float32Array): tf.Tensor2D => tf.tensor2d(values, shape);
  const mask = grid(microbatch.mask);
  const weights = grid(microbatch.weights);
  const entropyWeights = microbatch.entropyWeights && grid(microbatch.entropyWeights);
  const held = {
    samplerLogprob: grid(microbatch.samplerLogprobs),
    oldLogprob: ratioToItself
      ? tf.tidy(() => tf.mul<tf.Tensor2D>(tf.reshape(logprob, shape), mask))
      : grid(microbatch.oldLogprobs),
    referenceLogprob: grid(microbatch.referenceLogprobs),
    advantage: grid(microbatch.advantages),
    mask,
    ...(microbatch.kept && { kept: grid(microbatch.kept) }),
  } satisfies Omit<LossInputs, 'logprob'>;
  const values = { logprob, entropy };
  const { value, dlogprob, dentropy } = lossDerivatives(loss, held, values, weights, entropyWeights);
  await policy.backward(state, { logprob: dlogprob, entropy: dentropy }, temperature, gradients, breathe);
  policy.release(state);
  tf.dispose([
    dlogprob,
    dentropy,
    weights,
    ...Object.values(held),
    ...(entropyWeights ? [entropyWeights] : []),
  ]);
  return { microbatch, logprob, entropy, loss: value };
}

function disposePending({ logprob, entropy, loss }: Pending): void {
  tf.dispose(loss === null ? [logprob, entropy] : [logprob, entropy, loss]);
}

async function read(
  pending: Pending,
): Promise<{ logprob: Float32Array; entropy: Float32Array; loss: number }> {
  const [logprob, entropy, loss] = await Promise.all([
    pending.logprob.data<'float32'>(),
    pending.entropy.data<'float32'>(),
    pending.loss === null ? [0] : pending.loss.data<'float32'>(),
  ]);
  disposePending(pending);
  return { logprob, entropy, loss: loss[0] ?? NaN };
}
