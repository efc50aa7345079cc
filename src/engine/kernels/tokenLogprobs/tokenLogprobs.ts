/**
 * The one op that carries the loss: from hidden states to the log-probability of each target token and the entropy of the
 * full softmax, both at a temperature T, in chunks of rows so that [tokens, vocabulary] never exists whole.
 * With z = h·Eᵀ / T and p = softmax(z):  logprob = z_y − lse(z),  H = lse(z) − Σ p·z.
 * Backward, per row:  dz = d_logprob·(1[y] − p) − d_H·p·(log p + H);  dh = dz·E / T,  dE = dzᵀ·h / T.
 * A head may have a low-rank part, z = (h·Eᵀ + u·B) / T:  du = dz·Bᵀ / T,  dB = uᵀ·dz / T.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runOp } from '../../backend/kernelRegistry.ts';
import type { FrozenMatrix } from '../frozenMatrix/frozenMatrix.ts';
import { isFrozen, matrixAttributes, matrixInputs } from '../frozenMatrix/matrixView.ts';
import type { Operand, Slice } from '../shared/slice.ts';
import {
  type TokenLogprobsAttributes,
  type TokenLogprobsGradientAttributes,
  tokenLogprobsGradientOnWasm,
  tokenLogprobsOnWasm,
  tokenSlopesOnWasm,
} from './wasm.ts';
import { tokenLogprobsGradientOnWebGpu, tokenLogprobsOnWebGpu, tokenSlopesOnWebGpu } from './webgpu.ts';

registerOp<TokenLogprobsAttributes>({
  name: 'RlTokenLogprobs',
  wasm: tokenLogprobsOnWasm,
  webgpu: tokenLogprobsOnWebGpu,
});
registerOp<TokenLogprobsGradientAttributes>({
  name: 'RlTokenLogprobsGradient',
  wasm: tokenLogprobsGradientOnWasm,
  webgpu: tokenLogprobsGradientOnWebGpu,
});
registerOp<TokenLogprobsAttributes>({
  name: 'RlTokenSlopes',
  wasm: tokenSlopesOnWasm,
  webgpu: tokenSlopesOnWebGpu,
});

tf.registerGradient({
  kernelName: 'RlTokenLogprobs',
  inputsToSave: ['hidden', 'head', 'targets'],
  gradFunc: (dys, saved, attributes) => {
    const [hidden, head, targets] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
    const [dlogprob, dentropy] = dys as [tf.Tensor, tf.Tensor];
    const { temperature } = attributes as unknown as TokenLogprobsAttributes;
    const dhead = tf.zerosLike(head);
    const { dhidden } = tokenLogprobsGradient({ hidden, head, targets, dlogprob, dentropy }, temperature, {
      head: { tensor: dhead, offset: 0, shape: head.shape },
    });
    return {
      hidden: () => dhidden,
      head: () => dhead,
      targets: () => {
        throw new Error('tokenLogprobs has no gradient with respect to the targets.');
      },
    };
  },
});

/** u [N, r] and B [r, V], whose product is added to the logits. */
export interface LowRankLogits {
  readonly u: tf.Tensor;
  readonly b: Slice;
}

function attributesOf(
  hidden: tf.Tensor,
  head: Operand | FrozenMatrix,
  temperature: number,
  lowRank: LowRankLogits | null,
): TokenLogprobsAttributes {
  if (!(temperature > 0)) {
    throw new Error(`tokenLogprobs: temperature is ${temperature}; it must be above 0.`);
  }
  const [vocabSize = 0, width] = head.shape;
  if (head.shape.length !== 2 || width !== hidden.shape[1]) {
    throw new Error(
      `tokenLogprobs: hidden states [${hidden.shape.join(', ')}] and head [${head.shape.join(', ')}] do not fit; ` +
        'they must be [N, D] and [V, D].',
    );
  }
  if (lowRank) {
    const [rank, columns] = lowRank.b.shape;
    if (rank !== lowRank.u.shape[1] || columns !== vocabSize) {
      throw new Error(
        `tokenLogprobs: u [${lowRank.u.shape.join(', ')}] and B [${lowRank.b.shape.join(', ')}] do not fit; ` +
          `they must be [N, r] and [r, ${vocabSize}].`,
      );
    }
  }
  return { temperature, vocabSize, head: matrixAttributes(head), lowRankOffset: lowRank?.b.offset ?? 0 };
}

const lowRankInputs = (lowRank: LowRankLogits | null): Record<string, tf.Tensor> =>
  lowRank ? { u: lowRank.u, b: lowRank.b.tensor } : {};

/**
 * `hidden` [N, D], `head` [V, D], `targets` int32 [N] → logprob [N] and entropy [N], in nats. Under a tape the head must be a whole
 * tensor without a low-rank part. The blocks of a frozen head change no bit. @throws Error if `temperature` is not above 0 or the shapes
 * do not fit.
 */
export function tokenLogprobs(
  hidden: tf.Tensor,
  head: Operand | FrozenMatrix,
  targets: tf.Tensor,
  temperature: number,
  lowRank: LowRankLogits | null = null,
): { logprob: tf.Tensor1D; entropy: tf.Tensor1D } {
  const attributes = attributesOf(hidden, head, temperature, lowRank);
  const inputs = { hidden, ...matrixInputs('head', head), targets, ...lowRankInputs(lowRank) };
  const [logprob, entropy] = runOp('RlTokenLogprobs', inputs, { ...attributes });
  return { logprob: logprob as tf.Tensor1D, entropy: entropy as tf.Tensor1D };
}

/**
 * Returns the same values and `slope` [N, D], the derivative d logprob / d hidden of each row, for a head that learns nothing. The logits
 * are made once for both, where a later gradient makes them again. It has no gradient of its own. @throws as `tokenLogprobs` does.
 */
export function tokenLogprobsAndSlopes(
  hidden: tf.Tensor,
  head: Operand | FrozenMatrix,
  targets: tf.Tensor,
  temperature: number,
): { logprob: tf.Tensor1D; entropy: tf.Tensor1D; slope: tf.Tensor2D } {
  const attributes = attributesOf(hidden, head, temperature, null);
  const rows = targets.size;
  const derivatives = { dlogprob: tf.ones([rows]), dentropy: tf.zeros([rows]) };
  const inputs = { hidden, ...matrixInputs('head', head), targets, ...derivatives };
  const [logprob, entropy, slope] = runOp('RlTokenSlopes', inputs, { ...attributes });
  tf.dispose(derivatives);
  return { logprob: logprob as tf.Tensor1D, entropy: entropy as tf.Tensor1D, slope: slope as tf.Tensor2D };
}

/**
 * d hidden [N, D] and d u [N, r] (null without a low-rank part) from `dlogprob` and `dentropy` [N]. It adds d head [V, D] and d B [r, V]
 * to their slices; a frozen head has none. @throws as `tokenLogprobs` does.
 */
export function tokenLogprobsGradient(
  {
    head,
    lowRank = null,
    ...tensors
  }: {
    hidden: tf.Tensor;
    head: Operand | FrozenMatrix;
    targets: tf.Tensor;
    dlogprob: tf.Tensor;
    dentropy: tf.Tensor;
    lowRank?: LowRankLogits | null;
  },
  temperature: number,
  gradients: { readonly head: Slice | null; readonly b?: Slice | null },
): { dhidden: tf.Tensor2D; du: tf.Tensor2D | null } {
  const attributes = attributesOf(tensors.hidden, head, temperature, lowRank);
  if (gradients.head && isFrozen(head)) throw new Error('tokenLogprobs: a frozen head has no gradient.');
  const lowRankGradient = lowRank ? (gradients.b ?? null) : null;
  const inputs = {
    ...tensors,
    ...matrixInputs('head', head),
    ...lowRankInputs(lowRank),
    ...(gradients.head ? { headGradient: gradients.head.tensor } : {}),
    ...(lowRankGradient ? { bGradient: lowRankGradient.tensor } : {}),
  };
  const [dhidden, du = null] = runOp('RlTokenLogprobsGradient', inputs, {
    ...attributes,
    headGradientOffset: gradients.head?.offset ?? 0,
    lowRankGradientOffset: lowRankGradient?.offset ?? 0,
  });
  return { dhidden: dhidden as tf.Tensor2D, du: du as tf.Tensor2D | null };
}
