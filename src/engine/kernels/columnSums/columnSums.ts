/**
 * Sums over the rows of a matrix, in a fixed order: the gradient of a bias, target[j] += Σ_n dy[n, j], and on a GPU the gradients of the
 * scales of norms.
 */
import type * as tf from '../../backend/tf.ts';
import { input, registerOp, runInPlace } from '../../backend/kernelRegistry.ts';
import type { Slice } from '../shared/slice.ts';
import { u32, type GpuDispatcher, type TensorPart } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

interface ColumnSumsAttributes {
  readonly targetOffset: number;
}

/** Adds the column sums of `dy` [N, D] to `target` [D]. */
export function addColumnSums(target: Slice, dy: tf.Tensor): void {
  runInPlace('RlColumnSums', { target: target.tensor, dy }, { targetOffset: target.offset });
}

/** The least columns of one thread, a multiple of four. */
const GRAIN = 32;

/** The rows that one invocation adds, one after the other. */
export const ROWS_PER_SUM = 32;

/**
 * target[j] += Σ_n rows[n, j]. Chunks of rows are summed, then chunks of those sums and so on, each in ascending order. So the order
 * depends on the number of rows alone.
 */
export function addRowSums(
  gpu: GpuDispatcher,
  rows: tf.TensorInfo,
  target: TensorPart,
  dispose: (tensor: tf.TensorInfo) => void,
): void {
  const [count = 0] = rows.shape;
  const width = target.length;
  if (count <= ROWS_PER_SUM) {
    sumChunks(gpu, rows, width, { sums: target, isNew: false });
    return;
  }
  const sums = gpu.allocate([Math.ceil(count / ROWS_PER_SUM), width], 'float32');
  sumChunks(gpu, rows, width, { sums, isNew: true });
  addRowSums(gpu, sums, target, dispose);
  dispose(sums);
}

function sumChunks(
  gpu: GpuDispatcher,
  rows: tf.TensorInfo,
  width: number,
  { sums, isNew }: { sums: tf.TensorInfo | TensorPart; isNew: boolean },
): void {
  const { type, size } = widestPiece(width);
  const [count = 0] = rows.shape;
  launchItems(gpu, {
    key: `row-sums-${isNew ? 'set' : 'add'}-${type}`,
    items: (Math.ceil(count / ROWS_PER_SUM) * width) / size,
    reads: { [`rows: ${type}`]: rows },
    writes: { [`sums: ${type}`]: sums },
    uniforms: { count: u32(count), pieces: u32(width / size) },
    body: () => /* wgsl */ `
  let first = item / params.pieces * ${ROWS_PER_SUM}u;
  let end = min(first + ${ROWS_PER_SUM}u, params.count) * params.pieces;
  var at = first * params.pieces + item % params.pieces;
  var sum = ${isNew ? `${type}()` : 'sums[item]'};
  for (; at < end; at += params.pieces) { sum += rows[at]; }
  sums[item] = sum;`,
  });
}

registerOp<ColumnSumsAttributes>({
  name: 'RlColumnSums',
  wasm(memory, inputs, { targetOffset }) {
    const dy = input(inputs, 'dy');
    const [rows = 0, width = 0] = dy.shape;
    const target = memory.pointer(input(inputs, 'target'), targetOffset);
    memory.parallel('columnSums', width, GRAIN, memory.pointer(dy), rows, width, target);
    return [];
  },
  webgpu(gpu, inputs, { targetOffset }, { dispose }) {
    const dy = input(inputs, 'dy');
    const [, width = 0] = dy.shape;
    const target = { tensor: input(inputs, 'target'), offset: targetOffset, length: width };
    addRowSums(gpu, dy, target, dispose);
    return [];
  },
});
