/** Σ x² of a tensor, the summand of the global gradient norm, in a fixed order of summation. */
import type * as tf from '../../backend/tf.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';
import { registerOp, runSingle, input } from '../../backend/kernelRegistry.ts';
import { u32 } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

/** `x` of any shape → [1]. */
export function squaredNorm(x: tf.Tensor): tf.Tensor1D {
  return runSingle('RlSquaredNorm', { x }) as tf.Tensor1D;
}

/** The elements of a partial sum: the order of summation is the same on any number of threads. */
const CHUNK = 4096;
/** The least chunks of one thread. */
const GRAIN = 8;
const FLOATS_PER_DOUBLE = 2;

/** The pieces that one invocation adds, unless that would need more than `MAX_SUMS` sums. */
const PIECES_PER_SUM = 64;
const MAX_SUMS = 65_536;

registerOp<object>({
  name: 'RlSquaredNorm',
  wasm(memory, inputs) {
    const x = input(inputs, 'x');
    const length = util.sizeFromShape(x.shape);
    const chunks = Math.ceil(length / CHUNK);
    const total = memory.allocate([1], 'float32');
    const sums = memory.scratch(FLOATS_PER_DOUBLE * chunks);
    memory.parallel('squaredSums', chunks, GRAIN, memory.pointer(x), length, CHUNK, sums);
    memory.floats(total)[0] = memory.call('sumOfDoubles', sums, chunks);
    return [total];
  },
  /** Sums every so-many-th square, then those sums, until one is left. So the order depends on the size alone. */
  webgpu(gpu, inputs, _attributes, { dispose }) {
    const x = input(inputs, 'x');
    const { type, size } = widestPiece(util.sizeFromShape(x.shape));
    let terms: TensorInfo = x;
    let count = util.sizeFromShape(x.shape) / size;
    for (let isFirst = true; ; isFirst = false) {
      const sumCount = Math.min(Math.ceil(count / PIECES_PER_SUM), MAX_SUMS);
      const isLast = sumCount <= 1;
      const sums = gpu.allocate([isLast ? 1 : sumCount * size], 'float32');
      const term = isFirst ? 'terms[i] * terms[i]' : 'terms[i]';
      const total = size === 1 ? 'sum' : `dot(sum, ${type}(1.0))`;
      launchItems(gpu, {
        key: `squared-norm-${type}-${isFirst ? 'first' : 'later'}-${isLast ? 'last' : 'sums'}`,
        items: isLast ? 1 : sumCount,
        reads: { [`terms: ${type}`]: terms },
        writes: { [`sums: ${isLast ? 'f32' : type}`]: sums },
        uniforms: { count: u32(count) },
        body: () => /* wgsl */ `
  var sum = ${type}();
  for (var i = item; i < params.count; i += params.items) { sum += ${term}; }
  sums[item] = ${isLast ? total : 'sum'};`,
      });
      if (!isFirst) dispose(terms);
      if (isLast) return [sums];
      terms = sums;
      count = sumCount;
    }
  },
});
