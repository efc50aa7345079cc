/**
 * Forward and backward of what lies behind the blocks: the final norm and the head, on some positions at a time. A frozen head without a
 * pair of its own has a cheaper way. Its log-probabilities are made together with their slopes, d log p / d h = (E[y] − Σ p·E) / T, while
 * the logits are there. Backward is then one factor for each row, and makes no logits again. (Liger Kernel, Hsu et al. 2024, makes the gradient
 * in the forward pass as well, with the loss inside. Here any loss may follow, because it only scales the slopes.)
 */
import type { Breathe } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import {
  rmsNormGradient,
  tokenLogprobs,
  tokenLogprobsAndSlopes,
  tokenLogprobsGradient,
} from '../kernels/index.ts';
import { AdapterPool, type Adapter, type LowRankPair, type TrainedGradients } from './adapter.ts';
import type { ModelConfig } from './config.ts';
import type { FrozenBase } from './frozenBase.ts';
import { chunkByChunk, joined, rowsOf } from './headChunks.ts';
import { addLowRankInputGradient, lowRankInput } from './linear.ts';
import { pickedValues, spreadValues, type RowSelection } from './rowSelection.ts';
import type { ValueHead } from './valueHead.ts';
import { FINAL_NORM, HEAD } from './weightNames.ts';
import type { ModelWeights } from './weights.ts';

/** The pair that adapts the head. */
export interface HeadPair extends LowRankPair {
  readonly scale: Adapter['scale'];
}

/** Weights that may be trained, or a base that is frozen for good. */
export type BaseWeights = ModelWeights | FrozenBase;

/** The parts of a model that are used behind its blocks. */
export interface HeadParts {
  readonly config: ModelConfig;
  readonly weights: BaseWeights;
  /** The adapter that is trained beside frozen weights; null if the weights themselves are trained. */
  readonly adapter: Adapter | null;
  /** The pair that adapts the head; null if the adapter leaves it out. */
  readonly headPair: HeadPair | null;
  /** The critic that shares this trunk; null if there is none. */
  readonly valueHead: ValueHead | null;
  /** The norm behind the last block. */
  finalNorm(hidden: tf.Tensor): tf.Tensor2D;
}

/** The output of the last block [M, D], the token that each row predicts, and the positions of the rows; null for all positions. */
export interface HeadInput {
  readonly hidden: tf.Tensor;
  readonly targets: tf.Tensor;
  readonly selection: RowSelection | null;
}

/**
 * Log-probability and entropy of each position [N], 0 where they are not wanted, and `slope` [M, D], the derivative of each row's
 * log-probability by the output of the final norm. Without it backward makes the logits again.
 */
// An interface would not be one of the containers that tfjs disposes of.
export type HeadValues = {
  readonly logprob: tf.Tensor1D;
  readonly entropy: tf.Tensor1D;
  readonly slope?: tf.Tensor2D;
};

/** The gradients that backward begins with: d loss / d logprob and d loss / d entropy [N], and those of a value head. */
export interface Upstream {
  readonly logprob: tf.Tensor;
  /** It is not read where there are slopes: they are asked for only if the loss has no term of the entropy. */
  readonly entropy: tf.Tensor;
  /** The slopes that `headValues` returned for the same rows. */
  readonly slope?: HeadValues['slope'] | undefined;
  /** d loss / d V [N], and the sums to which the head's own gradients are added. */
  readonly value?: { readonly gradient: tf.Tensor; readonly into: ValueHead } | null;
}

/**
 * Returns the values of each position at a temperature. `slopes` asks for those too, which a frozen head without a pair has. `breathe` is
 * awaited between chunks of positions.
 */
export async function headValues(
  model: HeadParts,
  { hidden, targets, selection }: HeadInput,
  temperature: number,
  breathe: Breathe,
  slopes: boolean,
): Promise<HeadValues> {
  const { weights, config, headPair } = model;
  const [rows = 0] = hidden.shape;
  const divisor = temperature / config.logitScale;
  const hasSlopes = slopes && model.adapter !== null && headPair === null;
  const chunks = await chunkByChunk(rows, config.vocabSize, breathe, (chunk): HeadValues => {
    const normed = model.finalNorm(rowsOf(hidden, chunk));
    const hit = rowsOf(targets, chunk);
    if (hasSlopes) return tokenLogprobsAndSlopes(normed, weights.head, hit, divisor);
    const lowRank = headPair && { u: lowRankInput(normed, headPair, headPair.scale), b: headPair.b };
    return tokenLogprobs(normed, weights.head, hit, divisor, lowRank);
  });
  const spread = (values: readonly tf.Tensor1D[]): tf.Tensor1D =>
    tf.tidy(() => tf.clone(spreadValues(joined(values), selection)));
  const ofSlopes = chunks.flatMap((chunk) => chunk.slope ?? []);
  const found = {
    logprob: spread(chunks.map(({ logprob }) => logprob)),
    entropy: spread(chunks.map(({ entropy }) => entropy)),
    ...(hasSlopes && { slope: tf.tidy(() => tf.clone(joined(ofSlopes))) }),
  };
  tf.dispose(chunks);
  return found;
}

/** Returns d loss / d hidden [M, D] through head and final norm, and adds the gradients of both, or of the head's pair, to `gradients`. */
export async function headGradient(
  model: HeadParts,
  input: HeadInput,
  upstream: Upstream,
  temperature: number,
  gradients: TrainedGradients,
  breathe: Breathe,
): Promise<tf.Tensor> {
  const { weights, config, valueHead } = model;
  const { hidden, selection } = input;
  const normed = model.finalNorm(hidden);
  const dlogits = upstream.slope
    ? scaledSlopes(upstream.slope, upstream.logprob, selection)
    : await logitsGradient(model, { ...input, normed }, upstream, temperature, gradients, breathe);
  const dx = tf.tidy(() => {
    const { value } = upstream;
    const dy =
      valueHead && value
        ? valueHead.gradient(normed, pickedValues(value.gradient, selection), value.into, dlogits)
        : dlogits;
    const gammaGradient = gradients instanceof AdapterPool ? null : gradients.get(FINAL_NORM);
    const gamma = weights.get(FINAL_NORM);
    return rmsNormGradient({ x: hidden, gamma, dy }, config.rmsEps, gammaGradient, config.normShift);
  });
  tf.dispose([normed, dlogits]);
  return dx;
}

/** d loss / d h [M, D] = d loss / d log p · d log p / d h. */
const scaledSlopes = (slope: tf.Tensor2D, dlogprob: tf.Tensor, selection: RowSelection | null): tf.Tensor =>
  tf.tidy(() => tf.mul(slope, tf.reshape(pickedValues(dlogprob, selection), [-1, 1])));

/** d loss / d h [M, D] by making the logits again. */
async function logitsGradient(
  { weights, config, headPair }: HeadParts,
  { normed, targets, selection }: HeadInput & { readonly normed: tf.Tensor2D },
  upstream: Upstream,
  temperature: number,
  gradients: TrainedGradients,
  breathe: Breathe,
): Promise<tf.Tensor> {
  const adapter = gradients instanceof AdapterPool ? gradients : null;
  const [pairGradient = null] = adapter?.pairsOf(HEAD) ?? [];
  const into = {
    head: gradients instanceof AdapterPool ? null : gradients.head,
    b: pairGradient?.b ?? null,
  };
  const held = tf.tidy(() => ({
    dlogprob: tf.clone(pickedValues(upstream.logprob, selection)),
    dentropy: tf.clone(pickedValues(upstream.entropy, selection)),
    ...(headPair && { u: lowRankInput(normed, headPair, headPair.scale) }),
  }));
  const { u } = held;
  const chunks = await chunkByChunk(normed.shape[0] ?? 0, config.vocabSize, breathe, (chunk) => {
    const { dhidden, du } = tokenLogprobsGradient(
      {
        hidden: rowsOf(normed, chunk),
        head: weights.head,
        targets: rowsOf(targets, chunk),
        dlogprob: rowsOf(held.dlogprob, chunk),
        dentropy: rowsOf(held.dentropy, chunk),
        lowRank: headPair && u ? { u: rowsOf(u, chunk), b: headPair.b } : null,
      },
      temperature / config.logitScale,
      into,
    );
    return { dhidden, ...(du && { du }) };
  });
  const dlogits = tf.tidy(() => {
    const dhidden = joined(chunks.map((chunk) => chunk.dhidden));
    const dus = chunks.flatMap(({ du }) => du ?? []);
    return headPair && pairGradient && dus.length > 0
      ? addLowRankInputGradient(normed, joined(dus), headPair, headPair.scale, pairGradient, dhidden)
      : tf.clone(dhidden);
  });
  tf.dispose([held, chunks]);
  return dlogits;
}
