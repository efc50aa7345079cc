/** The gradient of a bias: target[j] += Σ_n dy[n, j], rows in ascending order. */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runInPlace } from '../../backend/kernelRegistry.ts';
import type { Slice } from '../slice.ts';
import type { ColumnSumsAttributes } from './attributes.ts';
import { columnSumsOnWasm } from './wasm.ts';
import { columnSumsOnWebGpu } from './webgpu.ts';

registerOp<ColumnSumsAttributes>({
  name: 'RlColumnSums',
  wasm: columnSumsOnWasm,
  webgpu: columnSumsOnWebGpu,
});

/** Adds the column sums of `dy` [N, D] to `target` [D]. */
export function addColumnSums(target: Slice, dy: tf.Tensor): void {
  runInPlace('RlColumnSums', { target: target.tensor, dy }, { targetOffset: target.offset });
}
