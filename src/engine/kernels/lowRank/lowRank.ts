/**
 * The part of an adapter's pairs in one linear map, forward and backward, in one op each: (x·A)·B times a factor, in the columns of each
 * pair. These products are small and many: sampling one token makes them for every map of every layer, and as ops of their own they
 * cost more than they compute. It is for wasm alone; on WebGPU `model/linear.ts` makes the same of products and a concatenation.
 */
import type { HostMemory } from '../../backend/host.ts';
import type * as tf from '../../backend/tf.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { input, registerOnWasm, runInPlace, runSingle, type Inputs } from '../../backend/kernelRegistry.ts';
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

interface GradientAttributes {
  readonly pairs: readonly PairPlace[];
  /** The places of the sums of A and B. */
  readonly sums: readonly Pick<PairPlace, 'a' | 'b'>[];
}

/** A pair of an adapter, in the pool that has all of them. */
export interface PooledPair {
  readonly a: Slice;
  readonly b: Slice;
  readonly column: number;
}

function poolOf([first]: readonly PooledPair[]): tf.Tensor {
  if (first === undefined) throw new Error('A low-rank part has at least one pair.');
  return first.a.tensor;
}

const placesOf = (pairs: readonly PooledPair[]): PairPlace[] =>
  pairs.map(({ a, b, column }) => {
    const [rank = 0, columns = 0] = b.shape;
    return { rank, a: a.offset, b: b.offset, column, columns };
  });

/**
 * `x` [N, in] → [N, columns], plus `residual` if there is one; nothing is added in columns without a pair. All pairs lie in one tensor;
 * `scale` is null for 1.
 */
export function lowRankColumns(
  x: tf.Tensor,
  pairs: readonly PooledPair[],
  scale: tf.Scalar | null,
  columns: number,
  residual: tf.Tensor | null = null,
): tf.Tensor2D {
  const inputs = { x, pool: poolOf(pairs), ...(scale && { scale }), ...(residual && { residual }) };
  return runSingle('RlLowRankColumns', inputs, { pairs: placesOf(pairs), columns }) as tf.Tensor2D;
}

/**
 * The gradients of `lowRankColumns`, given that of its outputs `dy` [N, columns]: those of A and B are added to `sums`, pair by pair, and
 * that of x to `dx` [N, in]. With u = s·x·A and du = s·dy·Bᵀ they are xᵀ·du, uᵀ·dy and du·Aᵀ.
 */
export function addLowRankGradients(
  x: tf.Tensor,
  dy: tf.Tensor,
  pairs: readonly PooledPair[],
  scale: tf.Scalar | null,
  sums: readonly PooledPair[],
  dx: tf.Tensor,
): void {
  if (sums.length !== pairs.length)
    throw new Error(`There are ${sums.length} sums for the gradients of ${pairs.length} pairs.`);
  const inputs = { x, dy, pool: poolOf(pairs), sums: poolOf(sums), dx, ...(scale && { scale }) };
  runInPlace('RlLowRankGradients', inputs, { pairs: placesOf(pairs), sums: placesOf(sums) });
}

const PLAIN = { accumulate: false, bias: 0, residual: 0 };
const ADDED = { ...PLAIN, accumulate: true };

function scaleBy(memory: HostMemory, { scale }: Inputs, tensor: TensorInfo, count: number): void {
  const factor = scale ? (memory.floats(scale)[0] ?? NaN) : 1;
  if (factor === 1) return;
  const values = memory.floats(tensor);
  for (let i = 0; i < count; i++) values[i] = (values[i] ?? NaN) * factor;
}

const widest = (pairs: readonly PairPlace[]): number => Math.max(...pairs.map(({ rank }) => rank));

registerOnWasm<LowRankAttributes>('RlLowRankColumns', (memory, inputs, { pairs, columns }, { dispose }) => {
  const [x, pool] = [input(inputs, 'x'), input(inputs, 'pool')];
  const { residual } = inputs;
  const [rows = 0, width = 0] = x.shape;
  const y = memory.allocate([rows, columns], 'float32');
  const inner = memory.allocate([rows, widest(pairs)], 'float32');
  if (pairs.reduce((sum, pair) => sum + pair.columns, 0) < columns) {
    if (residual) memory.floats(y).set(memory.floats(residual));
    else memory.floats(y).fill(0);
  }
  for (const { rank, a, b, column, columns: n } of pairs) {
    const u = memory.pointer(inner);
    const ofA = { ...PLAIN, a: memory.pointer(x), b: memory.pointer(pool, a), c: u };
    multiply(memory, 'nn', { m: rows, n: rank, k: width }, ofA);
    scaleBy(memory, inputs, inner, rows * rank);
    const ofB = {
      ...PLAIN,
      a: u,
      b: memory.pointer(pool, b),
      c: memory.pointer(y, column),
      residual: residual ? memory.pointer(residual, column) : 0,
    };
    multiply(memory, 'nn', { m: rows, n, k: rank }, ofB, { c: columns });
  }
  dispose(inner);
  return [y];
});

registerOnWasm<GradientAttributes>('RlLowRankGradients', (memory, inputs, { pairs, sums }, { dispose }) => {
  const [x, dy, dx] = [input(inputs, 'x'), input(inputs, 'dy'), input(inputs, 'dx')];
  const [pool, target] = [input(inputs, 'pool'), input(inputs, 'sums')];
  const [rows = 0, width = 0] = x.shape;
  const columns = dy.shape[1] ?? 0;
  const halves = [widest(pairs), widest(pairs)].map((rank) => memory.allocate([rows, rank], 'float32'));
  const [inner, dInner] = halves as [TensorInfo, TensorInfo];
  const [u, du, atX] = [memory.pointer(inner), memory.pointer(dInner), memory.pointer(x)];
  pairs.forEach(({ rank, a, b, column, columns: n }, i) => {
    const { a: sumOfA = 0, b: sumOfB = 0 } = sums[i] ?? {};
    const part = memory.pointer(dy, column);
    const [atA, atB] = [memory.pointer(pool, a), memory.pointer(pool, b)];
    multiply(memory, 'nn', { m: rows, n: rank, k: width }, { ...PLAIN, a: atX, b: atA, c: u });
    scaleBy(memory, inputs, inner, rows * rank);
    const ofB = { ...ADDED, a: u, b: part, c: memory.pointer(target, sumOfB) };
    multiply(memory, 'tn', { m: rank, n, k: rows }, ofB, { b: columns });
    multiply(memory, 'nt', { m: rows, n: rank, k: n }, { ...PLAIN, a: part, b: atB, c: du }, { a: columns });
    scaleBy(memory, inputs, dInner, rows * rank);
    const ofA = { ...ADDED, a: atX, b: du, c: memory.pointer(target, sumOfA) };
    multiply(memory, 'tn', { m: width, n: rank, k: rows }, ofA);
    const ofX = { ...ADDED, a: du, b: atA, c: memory.pointer(dx) };
    multiply(memory, 'nt', { m: rows, n: width, k: rank }, ofX);
  });
  dispose(...halves);
  return [];
});
