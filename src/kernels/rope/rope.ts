/**
 * Rotary position embedding (Su et al. 2021) in the half-split layout of Hugging Face: within a head, element i turns with
 * element i + headDim/2 by the angle position · frequency_i. Sine and cosine come from a table made in float64, so a far
 * position is as exact on a GPU as here. The gradient is the inverse rotation.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import type { RopeAttributes } from './attributes.ts';
import { ropeOnWasm } from './wasm.ts';
import { ropeOnWebGpu } from './webgpu.ts';

registerOp<RopeAttributes>({ name: 'RlRope', wasm: ropeOnWasm, webgpu: ropeOnWebGpu });

tf.registerGradient({
  kernelName: 'RlRope',
  inputsToSave: ['positions', 'cosines', 'sines'],
  gradFunc: (dy, saved, attributes) => {
    const [positions, cosines, sines] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
    const { inverse } = attributes as unknown as RopeAttributes;
    const none = () => {
      throw new Error('RoPE has no gradient with respect to positions or tables.');
    };
    return {
      x: () => runSingle('RlRope', { x: dy as tf.Tensor, positions, cosines, sines }, { inverse: !inverse }),
      positions: none,
      cosines: none,
      sines: none,
    };
  },
});

/**
 * `x` [N, heads · headDim], `positions` int32 [N], tables [maxPositions, headDim / 2] → [N, heads · headDim].
 * The head size is twice the table's width.
 */
export function rope(
  x: tf.Tensor,
  positions: tf.Tensor,
  tables: { cosines: tf.Tensor; sines: tf.Tensor },
): tf.Tensor2D {
  const { cosines, sines } = tables;
  return runSingle('RlRope', { x, positions, cosines, sines }, { inverse: false }) as tf.Tensor2D;
}
