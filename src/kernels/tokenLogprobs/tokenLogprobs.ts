/**
 * The one op that carries the loss: from hidden states to the log-probability of each target token and the entropy of the
 * full softmax, both at a temperature T, in chunks of rows so that [tokens, vocabulary] never exists whole.
 * With z = h·Eᵀ / T and p = softmax(z):  logprob = z_y − lse(z),  H = lse(z) − Σ p·z.
 * Backward, per row:  dz = d_logprob·(1[y] − p) − d_H·p·(log p + H);  dh = dz·E / T,  dE = dzᵀ·h / T.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runOp, runSingle } from '../../backend/kernelRegistry.ts';
import { offsetOf, tensorOf, type Operand, type Slice } from '../slice.ts';
import type { TokenLogprobsAttributes, TokenLogprobsGradientAttributes } from './attributes.ts';
import { tokenLogprobsGradientOnWasm, tokenLogprobsOnWasm } from './wasm.ts';
import { tokenLogprobsGradientOnWebGpu, tokenLogprobsOnWebGpu } from './webgpu.ts';

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

tf.registerGradient({
  kernelName: 'RlTokenLogprobs',
  inputsToSave: ['hidden', 'head', 'targets'],
  gradFunc: (dys, saved, attributes) => {
    const [hidden, head, targets] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
    const [dlogprob, dentropy] = dys as [tf.Tensor, tf.Tensor];
    const { temperature } = attributes as unknown as TokenLogprobsAttributes;
    const dhead = tf.zerosLike(head);
    const dhidden = tokenLogprobsGradient({ hidden, head, targets, dlogprob, dentropy }, temperature, {
      tensor: dhead,
      offset: 0,
      shape: head.shape,
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

function attributesOf(hidden: tf.Tensor, head: Operand, temperature: number): TokenLogprobsAttributes {
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
  return { temperature, vocabSize, headOffset: offsetOf(head) };
}

/**
 * `hidden` [N, D], `head` [V, D], `targets` int32 [N] → logprob [N] and entropy [N], in nats. Throws where `temperature` is
 * not above 0 or the shapes do not fit. Under a tape the head must be a whole tensor.
 */
export function tokenLogprobs(
  hidden: tf.Tensor,
  head: Operand,
  targets: tf.Tensor,
  temperature: number,
): { logprob: tf.Tensor1D; entropy: tf.Tensor1D } {
  const attributes = attributesOf(hidden, head, temperature);
  const inputs = { hidden, head: tensorOf(head), targets };
  const [logprob, entropy] = runOp('RlTokenLogprobs', inputs, { ...attributes });
  return { logprob: logprob as tf.Tensor1D, entropy: entropy as tf.Tensor1D };
}

/** d hidden [N, D] from `dlogprob` and `dentropy` [N]; adds d head [V, D] to its slice. Throws like `tokenLogprobs`. */
export function tokenLogprobsGradient(
  {
    head,
    ...tensors
  }: {
    hidden: tf.Tensor;
    head: Operand;
    targets: tf.Tensor;
    dlogprob: tf.Tensor;
    dentropy: tf.Tensor;
  },
  temperature: number,
  headGradient: Slice,
): tf.Tensor2D {
  const attributes = attributesOf(tensors.hidden, head, temperature);
  const inputs = { ...tensors, head: tensorOf(head), headGradient: headGradient.tensor };
  return runSingle('RlTokenLogprobsGradient', inputs, {
    ...attributes,
    headGradientOffset: headGradient.offset,
  }) as tf.Tensor2D;
}
