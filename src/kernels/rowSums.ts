/** Sums over the rows of a matrix on a GPU: gradients of biases and of the scales of norms. */
import { u32, type GpuDispatcher, type TensorPart } from '../backend/dispatch.ts';
import type { TensorInfo } from '../backend/tf.ts';
import { launchItems } from './launch.ts';
import { widestPiece } from './vectors.ts';

/** Rows that one invocation adds up, one after the other. */
export const ROWS_PER_SUM = 32;

/**
 * target[j] += Σ_n rows[n, j]. Chunks of rows are summed, then chunks of those sums and so on, each in ascending order: the
 * order depends on the number of rows alone.
 */
export function addRowSums(
  gpu: GpuDispatcher,
  rows: TensorInfo,
  target: TensorPart,
  dispose: (tensor: TensorInfo) => void,
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
  rows: TensorInfo,
  width: number,
  { sums, isNew }: { sums: TensorInfo | TensorPart; isNew: boolean },
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
