/**
 * Takes rows of a matrix by number, in any order: y[i] = x[rows[i]], and zeros where a number is −1. With the numbers of some rows it
 * gathers them. With their places, and −1 for the others, it puts them back: each is the gradient of the other.
 */
import type * as tf from '../../backend/tf.ts';
import { input, registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { u32 } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

/** `x` [N, D], `rows` int32 [M] from −1 to N − 1 → [M, D]. */
export function takeRows(x: tf.Tensor, rows: tf.Tensor): tf.Tensor2D {
  return runSingle('RlTakeRows', { x, rows }) as tf.Tensor2D;
}

registerOp<object>({
  name: 'RlTakeRows',
  wasm(memory, inputs) {
    const x = input(inputs, 'x');
    const numbers = input(inputs, 'rows');
    const [count = 0, width = 0] = x.shape;
    const y = memory.allocate([numbers.shape[0] ?? 0, width], 'float32');
    const [from, to, rows] = [memory.floats(x), memory.floats(y), memory.ints(numbers)];
    // Rows that follow each other in both go in one piece, which is what most of them do.
    for (let begin = 0; begin < rows.length;) {
      const first = rows[begin] ?? -1;
      if (first < -1 || first >= count) {
        throw new Error(
          `takeRows: row ${first} at place ${begin}; there are rows 0 to ${count - 1}, and −1 for zeros.`,
        );
      }
      let end = begin + 1;
      if (first < 0) {
        while (rows[end] === -1) end++;
        to.fill(0, begin * width, end * width);
      } else {
        while (end < rows.length && rows[end] === first + end - begin && first + end - begin < count) end++;
        to.set(from.subarray(first * width, (first + end - begin) * width), begin * width);
      }
      begin = end;
    }
    return [y];
  },
  webgpu(gpu, inputs) {
    const x = input(inputs, 'x');
    const numbers = input(inputs, 'rows');
    const rows = numbers.shape[0] ?? 0;
    const width = x.shape[1] ?? 0;
    const { type, size } = widestPiece(width);
    const y = gpu.allocate([rows, width], 'float32');
    launchItems(gpu, {
      key: `take-rows-${type}`,
      items: (rows * width) / size,
      reads: { [`x: ${type}`]: x, 'rows: i32': numbers },
      writes: { [`y: ${type}`]: y },
      uniforms: { pieces: u32(width / size) },
      body: () => /* wgsl */ `
  let row = rows[item / params.pieces];
  y[item] = ${type}();
  if (row >= 0) { y[item] = x[u32(row) * params.pieces + item % params.pieces]; }`,
    });
    return [y];
  },
});
