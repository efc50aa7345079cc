/**
 * The gated unit of Llama's MLP, SwiGLU (Shazeer 2020): y = silu(gate) ⊙ up, silu(z) = z · σ(z), over rows gate | up.
 * d gate = dy ⊙ up ⊙ σ(z)(1 + z(1 − σ(z))),  d up = dy ⊙ silu(gate).
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { gatedUnitGradientOnWasm, gatedUnitOnWasm } from './wasm.ts';
import { gatedUnitGradientOnWebGpu, gatedUnitOnWebGpu } from './webgpu.ts';

registerOp<object>({ name: 'RlGatedUnit', wasm: gatedUnitOnWasm, webgpu: gatedUnitOnWebGpu });
registerOp<object>({
  name: 'RlGatedUnitGradient',
  wasm: gatedUnitGradientOnWasm,
  webgpu: gatedUnitGradientOnWebGpu,
});

tf.registerGradient({
  kernelName: 'RlGatedUnit',
  inputsToSave: ['gateUp'],
  gradFunc: (dy, saved) => {
    const [gateUp] = saved as [tf.Tensor];
    return { gateUp: () => gatedUnitGradient(gateUp, dy as tf.Tensor) };
  },
});

/** `gateUp` [N, 2·F] → [N, F]. */
export function gatedUnit(gateUp: tf.Tensor): tf.Tensor2D {
  return runSingle('RlGatedUnit', { gateUp }) as tf.Tensor2D;
}

/** d gateUp [N, 2·F] from `dy` [N, F]. */
export function gatedUnitGradient(gateUp: tf.Tensor, dy: tf.Tensor): tf.Tensor2D {
  return runSingle('RlGatedUnitGradient', { gateUp, dy }) as tf.Tensor2D;
}
