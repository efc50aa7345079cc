/**
 * Sums the copies of rows: y[i] = x[f] + x[f + S] + x[f + 2S] …, with f = first[i] and copies[i] terms in this order. It is the gradient of
 * rows that were copied to several sequences, S apart.
 */
import type * as tf from '../../backend/tf.ts';
import { input, pointers, registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { u32 } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

interface SumCopiesAttributes {
  /** The distance S of two copies in rows. */
  readonly stride: number;
}

/** The least rows of one thread. */
const GRAIN = 64;

/** `x` [N, D], `first` and `copies` int32 [M] → [M, D]. A row of no copies is zero, whatever its first. */
export function sumCopies(x: tf.Tensor, first: tf.Tensor, copies: tf.Tensor, stride: number): tf.Tensor2D {
  return runSingle('RlSumCopies', { x, first, copies }, { stride }) as tf.Tensor2D;
}

/** Refuses rows that are not there, which would read memory of other tensors. */
function checkRows(first: Int32Array, copies: Int32Array, stride: number, count: number): void {
  copies.forEach((terms, i) => {
    const begin = first[i] ?? -1;
    if (terms > 0 && (begin < 0 || begin + (terms - 1) * stride >= count))
      throw new Error(
        `sumCopies: place ${i} takes ${terms} rows, ${stride} apart, from ${begin} on; there are rows 0 to ${count - 1}.`,
      );
  });
}

registerOp<SumCopiesAttributes>({
  name: 'RlSumCopies',
  wasm(memory, inputs, { stride }) {
    const x = input(inputs, 'x');
    const [count = 0, width = 0] = x.shape;
    const [first, copies] = [input(inputs, 'first'), input(inputs, 'copies')];
    const [rows = 0] = first.shape;
    checkRows(memory.ints(first), memory.ints(copies), stride, count);
    const y = memory.allocate([rows, width], 'float32');
    const from = pointers(memory, inputs, 'x', 'first', 'copies');
    memory.parallel('sumCopies', rows, GRAIN, ...from, memory.pointer(y), stride, width);
    return [y];
  },
  webgpu(gpu, inputs, { stride }) {
    const x = input(inputs, 'x');
    const first = input(inputs, 'first');
    const [rows = 0] = first.shape;
    const width = x.shape[1] ?? 0;
    const { type, size } = widestPiece(width);
    const y = gpu.allocate([rows, width], 'float32');
    launchItems(gpu, {
      key: `sum-copies-${type}`,
      items: (rows * width) / size,
      reads: { [`x: ${type}`]: x, 'first: i32': first, 'copies: i32': input(inputs, 'copies') },
      writes: { [`y: ${type}`]: y },
      uniforms: { pieces: u32(width / size), stride: u32(stride) },
      body: () => /* wgsl */ `
  let row = item / params.pieces;
  var at = u32(first[row]) * params.pieces + item % params.pieces;
  var sum = ${type}();
  for (var copy = 0; copy < copies[row]; copy++) {
    sum += x[at];
    at += params.stride * params.pieces;
  }
  y[item] = sum;`,
    });
    return [y];
  },
});
