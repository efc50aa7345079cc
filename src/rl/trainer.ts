/** Forward, loss and backward of one batch, microbatch by microbatch, and the update that follows. */
import * as tf from '../backend/tf.ts';
import { Gradients, type Breathe, type LanguageModel } from '../model/languageModel.ts';
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

/** Host copies of one microbatch's per-token values. */
interface TokenValues {
  readonly logprob: Float32Array;
  readonly entropy: Float32Array;
  readonly k3: Float32Array;
  readonly loss: number;
}

/**
 * One update on `microbatches`. `onProgress` hears the padded tokens done. Throws before any change to the weights when
 * the gradient is not finite.
 */
export async function trainStep(
  microbatches: readonly Microbatch[],
  learningRate: number,
  options: TrainerOptions,
  onProgress: (doneTokens: number) => void = () => {},
): Promise<BatchStatistics> {
  const gradients = new Gradients();
  const sums = { loss: 0, entropy: 0, kl: 0, v1: 0, v2: 0, tokens: 0 };
  try {
    for (const microbatch of microbatches) {
      const values = await forwardBackward(microbatch, options, gradients);
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
    }
    const { gradNorm } = await options.optimizer.update(gradients, learningRate);
    return {
      loss: sums.loss,
      entropy: sums.entropy / sums.tokens,
      kl: sums.kl / sums.tokens,
      klSampleTrainV1: sums.v1 / sums.tokens,
      klSampleTrainV2: sums.v2 / sums.tokens,
      gradNorm,
    };
  } finally {
    gradients.dispose();
  }
}

/** Adds the gradient of one microbatch's share of the loss; exported for the numeric tests. */
export async function forwardBackward(
  microbatch: Microbatch,
  { policy, reference, temperature, loss, breathe }: Omit<TrainerOptions, 'optimizer'>,
  gradients: Gradients,
): Promise<TokenValues> {
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
  const [logprobs, entropies, k3s, losses] = await Promise.all([
    logprob.data<'float32'>(),
    entropy.data<'float32'>(),
    divergence.data<'float32'>(),
    value.data<'float32'>(),
  ]);
  policy.release(state);
  tf.dispose([logprob, entropy, dlogprob, dentropy, divergence, value, ...Object.values(held)]);
  return { logprob: logprobs, entropy: entropies, k3: k3s, loss: losses[0] as number };
}

async function referenceLogprobs(
  reference: LanguageModel,
  microbatch: Microbatch,
  temperature: number,
  breathe: Breathe,
): Promise<tf.Tensor1D> {
  const state = await reference.forward(microbatch, breathe, false);
  const { logprob, entropy } = reference.logprobs(state, temperature);
  entropy.dispose();
  reference.release(state);
  return logprob;
}
