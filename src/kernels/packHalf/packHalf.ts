/**
 * Matrices in half precision: f16 pairs in the words of an int32 tensor, element 0 in the lower half of word 0. They halve
 * what a product reads of its weights; products still sum in f32. For WebGPU only: on a CPU they would have to be unpacked.
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { offsetOf, tensorOf, type HalfSlice, type Operand } from '../slice.ts';
import { packHalfOnWebGpu, type PackHalfAttributes } from './webgpu.ts';

registerOp<PackHalfAttributes>({
  name: 'RlPackHalf',
  wasm: () => {
    throw new Error('Matrices in half precision are for the WebGPU backend. On wasm keep them in f32.');
  },
  webgpu: packHalfOnWebGpu,
});

/** Rounds a matrix to half precision; what is larger than 65504 becomes that. The caller disposes of `halves`. */
export function packHalf(matrix: Operand): HalfSlice & { readonly halves: tf.Tensor } {
  const length = matrix.shape.reduce((product, extent) => product * extent, 1);
  const halves = runSingle('RlPackHalf', { x: tensorOf(matrix) }, { offset: offsetOf(matrix), length });
  return { halves, offset: 0, shape: matrix.shape };
}
