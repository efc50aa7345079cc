/**
 * The one op that carries the loss: from hidden states to the log-probability of each target token and the entropy of the
 * full softmax, both at a temperature T, in chunks of rows so that [tokens, vocabulary] never exists whole.
 * With z = h·Eᵀ / T and p = softmax(z):  logprob = z_y − lse(z),  H = lse(z) − Σ p·z.
 * Backward, per row:  dz = d_logprob·(1[y] − p) − d_H·p·(log p + H);  dh = dz·E / T,  dE = dzᵀ·h / T.
 */
import * as tf from '../../backend/tf.ts';
import { registerComposite, registerOp, runOp } from '../../backend/kernelRegistry.ts';
import type { TokenLogprobsAttributes } from './attributes.ts';
import { tokenLogprobsBody, tokenLogprobsGradientBody } from './chunks.ts';
import { rowLogprobsGradientOnWasm, rowLogprobsOnWasm } from './wasm.ts';
import { rowLogprobsGradientOnWebGpu, rowLogprobsOnWebGpu } from './webgpu.ts';

registerOp<TokenLogprobsAttributes>({
  name: 'RlRowLogprobs',
  wasm: rowLogprobsOnWasm,
  webgpu: rowLogprobsOnWebGpu,
});
registerOp<TokenLogprobsAttributes>({
  name: 'RlRowLogprobsGradient',
  wasm: rowLogprobsGradientOnWasm,
  webgpu: rowLogprobsGradientOnWebGpu,
});
registerComposite<TokenLogprobsAttributes>('RlTokenLogprobs', tokenLogprobsBody);
registerComposite<TokenLogprobsAttributes>('RlTokenLogprobsGradient', tokenLogprobsGradientBody);

tf.registerGradient({
  kernelName: 'RlTokenLogprobs',
  inputsToSave: ['hidden', 'head', 'targets'],
  gradFunc: (dys, saved, attributes) => {
    const [hidden, head, targets] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
    const [dlogprob, dentropy] = dys as [tf.Tensor, tf.Tensor];
    const [dhidden, dhead] = runOp(
      'RlTokenLogprobsGradient',
      { hidden, head, targets, dlogprob, dentropy },
      attributes,
    ) as [tf.Tensor, tf.Tensor];
    return {
      hidden: () => dhidden,
      head: () => dhead,
      targets: () => {
        throw new Error('tokenLogprobs has no gradient with respect to the targets.');
      },
    };
  },
});

/**
 * `hidden` [N, D], `head` [V, D], `targets` int32 [N] → logprob [N] and entropy [N], in nats.
 * `temperature` must be above 0.
 */
export function tokenLogprobs(
  hidden: tf.Tensor,
  head: tf.Tensor,
  targets: tf.Tensor,
  temperature: number,
): { logprob: tf.Tensor1D; entropy: tf.Tensor1D } {
  if (!(temperature > 0))
    throw new Error(`tokenLogprobs: temperature is ${temperature}; it must be above 0.`);
  const [logprob, entropy] = runOp('RlTokenLogprobs', { hidden, head, targets }, { temperature });
  return { logprob: logprob as tf.Tensor1D, entropy: entropy as tf.Tensor1D };
}
