/** A product added to a part of a tensor: the gradients of linear maps over several microbatches. Layouts as in `gemm.ts`. */
import { registerOp, runInPlace } from '../../backend/kernelRegistry.ts';
import { offsetOf, tensorOf, type Operand, type Slice } from '../slice.ts';
import { gemmShape, type GemmIntoAttributes, type GemmLayout } from './shape.ts';
import { gemmIntoOnWasm } from './wasm.ts';
import { gemmIntoOnWebGpu } from './webgpu.ts';

registerOp<GemmIntoAttributes>({ name: 'RlGemmInto', wasm: gemmIntoOnWasm, webgpu: gemmIntoOnWebGpu });

/** target [M, N] += op(A) · op(B). Throws where the inner sizes differ or the target has another shape. */
export function gemmInto(target: Slice, a: Operand, b: Operand, layout: GemmLayout): void {
  const shape = gemmShape(a.shape, b.shape, layout);
  if (target.shape[0] !== shape.m || target.shape[1] !== shape.n) {
    throw new Error(
      `gemm ${layout}: the product is [${shape.m}, ${shape.n}], its target [${target.shape.join(', ')}].`,
    );
  }
  runInPlace(
    'RlGemmInto',
    { target: target.tensor, a: tensorOf(a), b: tensorOf(b) },
    { ...shape, layout, aOffset: offsetOf(a), bOffset: offsetOf(b), targetOffset: target.offset },
  );
}
