/** Forward, loss and backward of sequences, microbatch by microbatch, and the update that may follow. */
import type { TokenValues } from '../loss/sequence.ts';
import type { Breathe } from '../backend/eventLoop.ts';
import { endMemoryStep } from '../backend/memory.ts';
import * as tf from '../backend/tf.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import type { TrainedGradients } from '../model/adapter.ts';
import type { ValueHead } from '../model/valueHead.ts';
import { unpackRows, type Microbatch } from './batch.ts';
import { lossDerivatives } from '../loss/derivatives.ts';
import type { LossInputs, TokenLoss } from '../loss/inputs.ts';
import { valueUpdate, type ValueTerm } from '../loss/valueLoss.ts';
import type { Optimizer } from './optimizer.ts';

export interface PassOptions {
  readonly policy: LanguageModel;
  /** The sampling temperature, which is the temperature of every log-probability. */
  readonly temperature: number;
  readonly breathe: Breathe;
  /** Receives the number of tokens of the sequences done since the last call, prompts included. */
  readonly onProgress?: (tokens: number) => void;
}

export interface BackwardOptions extends PassOptions {
  readonly loss: TokenLoss;
  /** p_old = stop-gradient(p): the ratio is exactly 1, as in TRL where each batch is trained on once. */
  readonly ratioToItself?: boolean;
  /** The term that the policy's value head learns from, and its gradients; left out if it learns nothing. */
  readonly value?: ValueTerm & { readonly gradients: ValueHead | null };
}

/** The loss of the value head, without its coefficient, and the share of tokens whose value was clipped. */
export interface ValueRecord {
  readonly loss: number;
  readonly clipped: number;
}

export interface BackwardValues extends Omit<TokenValues, 'values'> {
  /** The loss of the policy alone. */
  readonly loss: number;
  readonly value?: ValueRecord;
}

/** One microbatch's values, still on the device. */
interface Pending {
  readonly microbatch: Microbatch;
  readonly logprob: tf.Tensor;
  readonly entropy: tf.Tensor;
  readonly loss: tf.Tensor | null;
  /** V of each position. */
  readonly value?: tf.Tensor;
  /** The loss of the value head and its share of clipped tokens. */
  readonly valueTerm?: tf.Tensor;
}

/** Log-probability and entropy of every completion token, without a gradient. `policy` may be any model, such as the reference. */
export async function forwardOnly(
  microbatches: readonly Microbatch[],
  { policy, temperature, breathe, onProgress }: PassOptions,
): Promise<TokenValues> {
  const { logprobs, entropies, values } = await collect(microbatches, onProgress, async (microbatch) => {
    const state = await policy.forward(microbatch, breathe, { forBackward: false });
    const { logprob, entropy } = await policy.logprobs(state, temperature, breathe);
    await breathe();
    const value = policy.valueHead === null ? {} : { value: policy.values(state) };
    policy.release(state);
    return { microbatch, logprob, entropy, ...value, loss: null };
  });
  return { logprobs, entropies, values };
}

/**
 * Adds the gradient of the loss over all microbatches to `gradients`. A microbatch's values are read while the next one runs, so that the
 * device does not wait. @throws Error if a value head is to learn and there is none.
 */
export async function forwardBackward(
  microbatches: readonly Microbatch[],
  options: BackwardOptions,
  gradients: TrainedGradients,
): Promise<BackwardValues> {
  const { values: _, ...found } = await collect(microbatches, options.onProgress, (microbatch) =>
    launch(microbatch, options, gradients),
  );
  return found;
}

/** Makes one update on `microbatches`. @throws Error before any change to the weights if the gradient is not finite. */
export async function trainStep(
  microbatches: readonly Microbatch[],
  learningRate: number,
  options: BackwardOptions & { readonly optimizer: Optimizer },
): Promise<BackwardValues & { readonly gradNorm: number }> {
  const { optimizer } = options;
  try {
    const values = await forwardBackward(microbatches, options, optimizer.gradients);
    const { gradNorm } = await optimizer.update(learningRate, { breathe: options.breathe });
    endMemoryStep();
    return { ...values, gradNorm };
  } catch (error) {
    optimizer.clearGradients();
    throw error;
  }
}

const tokensOf = ({ spans }: Microbatch): number =>
  spans.reduce((sum, { first, tokens }) => sum + first + 1 + tokens, 0);

async function collect(
  microbatches: readonly Microbatch[],
  onProgress: PassOptions['onProgress'],
  start: (microbatch: Microbatch) => Promise<Pending>,
): Promise<BackwardValues & TokenValues> {
  const logprobs: Float32Array[] = [];
  const entropies: Float32Array[] = [];
  const ofHead: Float32Array[] = [];
  let loss = 0;
  let value = null as ValueRecord | null;
  const finish = async (pending: Pending): Promise<void> => {
    const values = await read(pending);
    unpackRows(pending.microbatch, values.logprob, logprobs);
    unpackRows(pending.microbatch, values.entropy, entropies);
    loss += values.loss;
    if (values.value) unpackRows(pending.microbatch, values.value, ofHead);
    if (values.valueTerm) {
      const [ofPart = NaN, clipped = NaN] = values.valueTerm;
      value = { loss: (value?.loss ?? 0) + ofPart, clipped: (value?.clipped ?? 0) + clipped };
    }
    onProgress?.(tokensOf(pending.microbatch));
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
    return { loss, logprobs, entropies, values: ofHead, ...(value === null ? {} : { value }) };
  } catch (error) {
    if (pending) disposePending(pending);
    throw error;
  }
}

async function launch(
  microbatch: Microbatch,
  { policy, temperature, loss, breathe, ratioToItself = false, value: ofHead }: BackwardOptions,
  gradients: TrainedGradients,
): Promise<Pending> {
  if (ofHead?.gradients === null)
    throw new Error('The loss has a term for a value head, and what is trained has none.');
  const { batch, length } = microbatch;
  const shape: [number, number] = [batch, length];
  const state = await policy.forward(microbatch, breathe);
  const slopes = microbatch.entropyWeights === null;
  const { logprob, entropy, slope } = await policy.logprobs(state, temperature, breathe, { slopes });
  await breathe();
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
  const head = ofHead && valueGradient(microbatch, policy.values(state), ofHead);
  const into = ofHead?.gradients;
  await breathe();
  const upstream = {
    logprob: dlogprob,
    entropy: dentropy,
    slope,
    ...(head && into && { value: { gradient: head.gradient, into } }),
  };
  await policy.backward(state, upstream, temperature, gradients, breathe);
  policy.release(state);
  tf.dispose([
    dlogprob,
    dentropy,
    weights,
    ...(slope ? [slope] : []),
    ...Object.values(held),
    ...(entropyWeights ? [entropyWeights] : []),
    ...(head ? [head.gradient] : []),
  ]);
  return { microbatch, logprob, entropy, loss: value, ...(head && { valueTerm: head.term }) };
}

/** d loss / d V [N], and [loss, share of clipped tokens]. It consumes `values`. */
function valueGradient(
  { batch, length, oldValues, returns, learned }: Microbatch,
  values: tf.Tensor1D,
  options: ValueTerm,
): { gradient: tf.Tensor; term: tf.Tensor } {
  const found = tf.tidy(() => {
    const grid = (of: Float32Array): tf.Tensor2D => tf.tensor2d(of, [batch, length]);
    const value: tf.Tensor2D = tf.reshape(values, [batch, length]);
    const inputs = { value, oldValue: grid(oldValues), returns: grid(returns) };
    const { loss, clipped, gradient } = valueUpdate(inputs, grid(learned), options);
    return { gradient: tf.reshape(gradient, [-1]), term: tf.stack([loss, clipped]) };
  });
  values.dispose();
  return found;
}

function disposePending({ logprob, entropy, loss, value, valueTerm }: Pending): void {
  tf.dispose([logprob, entropy, loss, value, valueTerm].flatMap((tensor) => tensor ?? []));
}

async function read(pending: Pending) {
  const [logprob, entropy, loss, value, valueTerm] = await Promise.all([
    pending.logprob.data<'float32'>(),
    pending.entropy.data<'float32'>(),
    pending.loss === null ? [0] : pending.loss.data<'float32'>(),
    pending.value?.data<'float32'>(),
    pending.valueTerm?.data<'float32'>(),
  ]);
  disposePending(pending);
  return { logprob, entropy, loss: loss[0] ?? NaN, value, valueTerm };
}
