/**
 * General matrix multiplication in three layouts: C = op(A) · op(B).
 * `nn`: A [M, K], B [K, N].  `nt`: A [M, K], B [N, K].  `tn`: A [K, M], B [K, N].
 * The gradients of one layout are the other two.
 */
import * as tf from '../../backend/tf.ts';
import { registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { gemmShape, type GemmAttributes, type GemmLayout } from './shape.ts';
import { gemmOnWasm } from './wasm.ts';
import { gemmOnWebGpu } from './webgpu.ts';

registerOp<GemmAttributes>({ name: 'RlGemm', wasm: gemmOnWasm, webgpu: gemmOnWebGpu });

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

/** C = op(A) · op(B), f32, shapes as in the file's header. Throws where the inner sizes differ. */
export function gemm(a: tf.Tensor, b: tf.Tensor, layout: GemmLayout): tf.Tensor2D {
  gemmShape(a.shape, b.shape, layout);
  return runSingle('RlGemm', { a, b }, { layout }) as tf.Tensor2D;
}
