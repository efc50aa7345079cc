/**
 * The gated unit of Llama's MLP (Shazeer 2020): y = silu(gate) ⊙ up, silu(z) = z · σ(z).
 * d gate = dy ⊙ up ⊙ σ(z)(1 + z(1 − σ(z))),  d up = dy ⊙ silu(gate).
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runOp, runSingle } from '../../backend/kernelRegistry.ts';
import { swigluGradientOnWasm, swigluOnWasm } from './wasm.ts';
import { swigluGradientOnWebGpu, swigluOnWebGpu } from './webgpu.ts';

registerOp<object>({ name: 'RlSwiglu', wasm: swigluOnWasm, webgpu: swigluOnWebGpu });
registerOp<object>({ name: 'RlSwigluGradient', wasm: swigluGradientOnWasm, webgpu: swigluGradientOnWebGpu });

tf.registerGradient({
  kernelName: 'RlSwiglu',
  inputsToSave: ['gate', 'up'],
  gradFunc: (dy, saved) => {
    const [gate, up] = saved as [tf.Tensor, tf.Tensor];
    const [dgate, dup] = runOp('RlSwigluGradient', { gate, up, dy: dy as tf.Tensor }) as [
      tf.Tensor,
      tf.Tensor,
    ];
    return { gate: () => dgate, up: () => dup };
  },
});

/** `gate`, `up` [N, F] → [N, F]. */
export function swiglu(gate: tf.Tensor, up: tf.Tensor): tf.Tensor2D {
  return runSingle('RlSwiglu', { gate, up }) as tf.Tensor2D;
}
