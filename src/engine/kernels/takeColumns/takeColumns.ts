/**
 * Takes neighbouring columns of a matrix as a matrix of their own. On wasm, tfjs' own slice first copies the whole matrix to the
 * JavaScript heap: 34 to 68 MB of garbage in a step of a model of 135M parameters.
 */
import type * as tf from '../../backend/tf.ts';
import { input, registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { u32 } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

interface TakeColumnsAttributes {
  readonly first: number;
  readonly count: number;
}

/** `x` [N, D] → [N, count], its columns from `first` on. @throws Error if `x` has fewer columns. */
export function takeColumns(x: tf.Tensor, first: number, count: number): tf.Tensor2D {
  const [, width = 0] = x.shape;
  if (first < 0 || first + count > width)
    throw new Error(`takeColumns: columns ${first} to ${first + count - 1}; there are 0 to ${width - 1}.`);
  return runSingle('RlTakeColumns', { x }, { first, count }) as tf.Tensor2D;
}

registerOp<TakeColumnsAttributes>({
  name: 'RlTakeColumns',
  wasm(memory, inputs, { first, count }) {
    const x = input(inputs, 'x');
    const [rows = 0, width = 0] = x.shape;
    const y = memory.allocate([rows, count], 'float32');
    const [from, to] = [memory.floats(x), memory.floats(y)];
    for (let row = 0; row < rows; row++) {
      const begin = row * width + first;
      to.set(from.subarray(begin, begin + count), row * count);
    }
    return [y];
  },
  webgpu(gpu, inputs, { first, count }) {
    const x = input(inputs, 'x');
    const [rows = 0, width = 0] = x.shape;
    // A piece may not lie across the first column, the last, or the end of a row.
    const pieces = [width, first, count].map((columns) => widestPiece(columns));
    const { type, size } = pieces.reduce((narrowest, piece) =>
      piece.size < narrowest.size ? piece : narrowest,
    );
    const y = gpu.allocate([rows, count], 'float32');
    launchItems(gpu, {
      key: `take-columns-${type}`,
      items: (rows * count) / size,
      reads: { [`x: ${type}`]: x },
      writes: { [`y: ${type}`]: y },
      uniforms: { taken: u32(count / size), width: u32(width / size), first: u32(first / size) },
      body: () => /* wgsl */ `
  y[item] = x[(item / params.taken) * params.width + params.first + item % params.taken];`,
    });
    return [y];
  },
});
