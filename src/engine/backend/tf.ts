/**
 * The tensor runtime. Every room imports tfjs from here, so that there is one copy. It has tfjs' gradients, and our own for ops of custom
 * losses for which tfjs has none or one that fails.
 */
import * as tfjs from '@tensorflow/tfjs-core';
// This import comes second because it needs the flags that the line above registers.
import '@tensorflow/tfjs-core/dist/register_all_gradients';

export * from '@tensorflow/tfjs-core';

const { parseAxisParam, sizeFromShape } = tfjs.util;

const asTensor = (value: tfjs.Tensor | tfjs.Tensor[]): tfjs.Tensor => value as tfjs.Tensor;

/** Comparisons that are constant wherever they have a derivative. `where(greater(ratio, 1), …)` needs a derivative of zero. */
const COMPARISONS = ['Greater', 'GreaterEqual', 'Less', 'LessEqual', 'Equal', 'NotEqual'];
for (const kernelName of COMPARISONS)
  tfjs.registerGradient({
    kernelName,
    inputsToSave: ['a', 'b'],
    gradFunc: (_, saved) => {
      const [a, b] = saved as [tfjs.Tensor, tfjs.Tensor];
      return { a: () => tfjs.zerosLike(a), b: () => tfjs.zerosLike(b) };
    },
  });

const sumOfSegments = tfjs.getGradient('GatherV2');

/**
 * The gradient of `gather` along one axis on wasm, as a product with a one-hot matrix: tfjs sums segments, for which that backend has no
 * kernel. It does not support `batchDims`.
 */
tfjs.registerGradient({
  kernelName: 'GatherV2',
  inputsToSave: ['x', 'indices'],
  gradFunc: (dy, saved, attributes) => {
    if (tfjs.getBackend() !== 'wasm') return sumOfSegments.gradFunc(dy, saved, attributes);
    const [x, indices] = saved as [tfjs.Tensor, tfjs.Tensor];
    const { axis, batchDims } = attributes as unknown as {
      readonly axis: number;
      readonly batchDims: number;
    };
    if (batchDims !== 0) throw new Error(`gather has no gradient with batchDims ${batchDims}; use 0.`);
    const at = parseAxisParam(axis, x.shape)[0] ?? 0;
    const [before, after] = [x.shape.slice(0, at), x.shape.slice(at + 1)];
    const [outer, size, inner] = [sizeFromShape(before), x.shape[at] ?? 1, sizeFromShape(after)];
    const chosen = (): tfjs.Tensor => {
      // [outer, picks, inner] to [size, outer · inner] and back.
      const rows = tfjs.transpose(tfjs.reshape(asTensor(dy), [outer, indices.size, inner]), [1, 0, 2]);
      const picks = tfjs.reshape(tfjs.cast(indices, 'float32'), [1, indices.size]);
      const oneHot = tfjs.cast(tfjs.equal(tfjs.reshape(tfjs.range(0, size), [size, 1]), picks), 'float32');
      const sums = tfjs.matMul<tfjs.Tensor2D>(oneHot, tfjs.reshape(rows, [indices.size, outer * inner]));
      return tfjs.reshape(tfjs.transpose(tfjs.reshape(sums, [size, outer, inner]), [1, 0, 2]), x.shape);
    };
    return { x: chosen, indices: () => tfjs.zerosLike(indices) };
  },
});

/** log σ(x). tfjs' own version loses its input before the gradient asks for it. */
export function logSigmoid<T extends tfjs.Tensor>(x: T | tfjs.TensorLike): T {
  return tfjs.neg(tfjs.softplus(tfjs.neg(x))) as T;
}
