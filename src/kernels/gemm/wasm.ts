/**
 * On wasm only the 2-D untransposed product reaches XNNPACK (31 GFLOP/s a thread against 1-2 for the transposed forms of
 * tfjs 4.22.0), so transposed operands are rewritten first.
 */
import type { HostMemory } from '../../backend/host.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { GemmAttributes } from './shape.ts';

export function gemmOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { layout }: GemmAttributes,
  { run, dispose }: CompositeContext,
): TensorInfo[] {
  const a = input(inputs, 'a');
  const b = input(inputs, 'b');
  const left = layout === 'tn' ? transposed(memory, a) : a;
  const right = layout === 'nt' ? transposed(memory, b) : b;
  const product = run('BatchMatMul', { a: left, b: right }, { transposeA: false, transposeB: false });
  if (left !== a) dispose(left);
  if (right !== b) dispose(right);
  return product;
}

/** Square blocks keep both the rows read and the columns written in the first-level cache. */
const BLOCK = 16;

function transposed(memory: HostMemory, matrix: TensorInfo): TensorInfo {
  const [rows = 0, columns = 0] = matrix.shape;
  const result = memory.allocate([columns, rows], 'float32');
  const from = memory.floats(matrix);
  const to = memory.floats(result);
  for (let r0 = 0; r0 < rows; r0 += BLOCK) {
    const r1 = Math.min(r0 + BLOCK, rows);
    for (let c0 = 0; c0 < columns; c0 += BLOCK) {
      const c1 = Math.min(c0 + BLOCK, columns);
      for (let c = c0; c < c1; c++) {
        for (let r = r0; r < r1; r++) to[c * rows + r] = from[r * columns + c] as number;
      }
    }
  }
  return result;
}
