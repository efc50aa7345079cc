/**
 * The outputs of an adapter's pairs for one linear map, in one op: (x·A)·B times a factor, in the columns of each pair. Sampling one token
 * makes these small products for every map of every layer, and as ops of their own they cost more than they compute. It is for
 * wasm alone; on WebGPU `model/linear.ts` makes the same of products and a concatenation.
 */
import type * as tf from '../../backend/tf.ts';
import { input, registerOnWasm, runSingle } from '../../backend/kernelRegistry.ts';
import { multiply } from '../gemm/wasm.ts';
import type { Slice } from '../shared/slice.ts';

interface PairPlace {
  readonly rank: number;
  /** The first elements of A and B in the pool, and the first column of their product. */
  readonly a: number;
  readonly b: number;
  readonly column: number;
  readonly columns: number;
}

interface LowRankAttributes {
  readonly pairs: readonly PairPlace[];
  readonly columns: number;
}

/** A pair of an adapter, in the pool that has all of them. */
export interface PooledPair {
  readonly a: Slice;
  readonly b: Slice;
  readonly column: number;
}

/** `x` [N, in] → [N, columns], zeros in columns without a pair. All pairs lie in one tensor; `scale` is null for 1. */
export function lowRankColumns(
  x: tf.Tensor,
  pairs: readonly PooledPair[],
  scale: tf.Scalar | null,
  columns: number,
): tf.Tensor2D {
  const [first] = pairs;
  if (first === undefined) throw new Error('A low-rank part has at least one pair.');
  const places = pairs.map(({ a, b, column }): PairPlace => {
    const [rank = 0, width = 0] = b.shape;
    return { rank, a: a.offset, b: b.offset, column, columns: width };
  });
  const inputs = { x, pool: first.a.tensor, ...(scale ? { scale } : {}) };
  return runSingle('RlLowRankColumns', inputs, { pairs: places, columns }) as tf.Tensor2D;
}

registerOnWasm<LowRankAttributes>('RlLowRankColumns', (memory, inputs, { pairs, columns }, { dispose }) => {
  const [x, pool] = [input(inputs, 'x'), input(inputs, 'pool')];
  const [rows = 0, width = 0] = x.shape;
  const y = memory.allocate([rows, columns], 'float32');
  const inner = memory.allocate([rows, Math.max(...pairs.map(({ rank }) => rank))], 'float32');
  const { scale } = inputs;
  const factor = scale ? (memory.floats(scale)[0] ?? NaN) : 1;
  const plain = { accumulate: false, bias: 0, residual: 0 };
  if (pairs.reduce((sum, pair) => sum + pair.columns, 0) < columns) memory.floats(y).fill(0);
  for (const { rank, a, b, column, columns: n } of pairs) {
    const u = memory.pointer(inner);
    const ofA = { ...plain, a: memory.pointer(x), b: memory.pointer(pool, a), c: u };
    multiply(memory, 'nn', { m: rows, n: rank, k: width }, ofA);
    if (factor !== 1) {
      const values = memory.floats(inner);
      for (let i = 0; i < rows * rank; i++) values[i] = (values[i] ?? NaN) * factor;
    }
    const ofB = { ...plain, a: u, b: memory.pointer(pool, b), c: memory.pointer(y, column) };
    multiply(memory, 'nn', { m: rows, n, k: rank }, ofB, columns);
  }
  dispose(inner);
  return [y];
});
