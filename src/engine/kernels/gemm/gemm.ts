/**
 * General matrix multiplication in three layouts: C = op(A) · op(B) [+ bias] [+ residual].
 * `nn`: A [M, K], B [K, N].  `nt`: A [M, K], B [N, K].  `tn`: A [K, M], B [K, N].
 * The gradients of one layout are the other two.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runSingle, runInPlace } from '../../backend/kernelRegistry.ts';
import type { FrozenMatrix } from '../frozenMatrix/frozenMatrix.ts';
import { isFrozen, matrixAttributes, matrixInputs } from '../frozenMatrix/matrixView.ts';
import { offsetOf, tensorOf, type Operand, type Slice } from '../shared/slice.ts';
import { gemmShape, type GemmLayout } from './shape.ts';
import { gemmIntoOnWasm, gemmOnWasm, type GemmAttributes, type GemmIntoAttributes } from './wasm.ts';
import { gemmIntoOnWebGpu, gemmOnWebGpu } from './webgpu.ts';

registerOp<GemmAttributes>({ name: 'RlGemm', wasm: gemmOnWasm, webgpu: gemmOnWebGpu });
registerOp<GemmIntoAttributes>({ name: 'RlGemmInto', wasm: gemmIntoOnWasm, webgpu: gemmIntoOnWebGpu });

tf.registerGradient({
  kernelName: 'RlGemm',
  inputsToSave: ['a', 'b'],
  gradFunc: (dy, saved, attributes) => {
    const [a, b] = saved as [tf.Tensor, tf.Tensor];
    const dc = dy as tf.Tensor;
    const { layout } = attributes as unknown as GemmAttributes;
    if (layout === 'nn') return { a: () => gemm(dc, b, 'nt'), b: () => gemm(a, dc, 'tn') };
    if (layout === 'nt') return { a: () => gemm(dc, b, 'nn'), b: () => gemm(dc, a, 'tn') };
    return { a: () => gemm(b, dc, 'nt'), b: () => gemm(a, dc, 'nn') };
  },
});

/** The terms that are added to a product while it is still in registers. Under a tape only plain products have a gradient. */
export interface GemmEpilogue {
  /** The bias [N], which is added to every row. */
  readonly bias?: Operand | null;
  /** The residual [M, N]. */
  readonly residual?: tf.Tensor;
}

/**
 * C [M, N] in f32, with shapes as in the file's header. A product with a frozen B, whatever its format, has the bits of the product with
 * B widened to f32; a frozen B has no gradient and no `tn`. @throws Error if the inner sizes differ.
 */
export function gemm(
  a: Operand,
  b: Operand | FrozenMatrix,
  layout: GemmLayout,
  { bias = null, residual }: GemmEpilogue = {},
): tf.Tensor2D {
  if (isFrozen(b) && layout === 'tn') {
    throw new Error('gemm tn: B is frozen; products with a frozen matrix are nt or nn.');
  }
  const inputs = {
    a: tensorOf(a),
    ...matrixInputs('b', b),
    ...(bias ? { bias: tensorOf(bias) } : {}),
    ...(residual ? { residual } : {}),
  };
  return runSingle('RlGemm', inputs, {
    ...gemmShape(a.shape, b.shape, layout),
    layout,
    aOffset: offsetOf(a),
    b: matrixAttributes(b),
    biasOffset: bias ? offsetOf(bias) : 0,
  }) as tf.Tensor2D;
}

/**
 * target [M, N] += op(A) · op(B), with which gradients of linear maps add up over microbatches. @throws Error if the inner sizes differ
 * or the target has another shape.
 */
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
