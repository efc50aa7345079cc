/**
 * Token embedding: row `ids[n]` of the table. The backward adds dy over the occurrences of each token in ascending order
 * of position, with no atomics, so it is the same to the bit on every run (tfjs' gather gradient is neither that nor
 * available on wasm).
 */
import type * as tf from '../../backend/tf.ts';
import { registerOp, runInPlace, runSingle, input } from '../../backend/kernelRegistry.ts';
import { offsetOf, tensorOf, type Operand, type Slice } from '../slice.ts';
import { u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { launchItems } from '../launch.ts';
import { widestPiece } from '../vectors.ts';

interface EmbeddingAttributes {
  /** First element of the table in its tensor. */
  readonly tableOffset: number;
  readonly vocabSize: number;
  readonly width: number;
}

interface EmbeddingGradientAttributes {
  readonly targetOffset: number;
  readonly vocabSize: number;
}

/** `table` [V, D], `ids` int32 [N] → [N, D]. Throws where the table is no matrix. */
export function embedding(table: Operand, ids: tf.Tensor): tf.Tensor2D {
  const [vocabSize, width] = table.shape;
  if (vocabSize === undefined || width === undefined) {
    throw new Error(`embedding: the table has shape [${table.shape.join(', ')}]; it must be [V, D].`);
  }
  const attributes = { tableOffset: offsetOf(table), vocabSize, width };
  return runSingle('RlEmbedding', { table: tensorOf(table), ids }, attributes) as tf.Tensor2D;
}

/** Adds row n of `dy` [N, D] to row `ids[n]` of `target` [V, D]. */
export function embeddingGradient(dy: tf.Tensor, ids: tf.Tensor, target: Slice): void {
  const [vocabSize = 0] = target.shape;
  const attributes = { targetOffset: target.offset, vocabSize };
  runInPlace('RlEmbeddingGradient', { dy, ids, target: target.tensor }, attributes);
}

/** Rows that one thread looks up at least. */
const ROWS = 512;
/** Columns that one thread adds up at least; a multiple of four. */
const COLUMNS = 32;

/** A wrong id would read or write somebody else's memory. */
function checkIds(ids: Int32Array, vocabSize: number): void {
  const wrong = ids.findIndex((id) => id < 0 || id >= vocabSize);
  if (wrong >= 0) {
    throw new Error(
      `embedding: id ${ids[wrong]} at position ${wrong}; ids must be from 0 to ${vocabSize - 1}.`,
    );
  }
}

/**
 * `next`: the next row of the same token, or the number of rows; `repeated`: 1 where a row is not its token's first. The first
 * and the last row of each token are found beforehand, so that no row searches for what does not exist: in a large
 * vocabulary most would, to the end.
 */
function chains(
  gpu: GpuDispatcher,
  ids: tf.TensorInfo,
  vocabSize: number,
  dispose: (...tensors: tf.TensorInfo[]) => void,
): { next: tf.TensorInfo; repeated: tf.TensorInfo } {
  const [rows = 0] = ids.shape;
  const [firsts, lasts] = [gpu.allocate([vocabSize], 'int32'), gpu.allocate([vocabSize], 'int32')];
  const [next, repeated] = [gpu.allocate([rows], 'int32'), gpu.allocate([rows], 'int32')];
  launchItems(gpu, {
    key: 'embedding-gradient-no-rows',
    items: vocabSize,
    writes: { 'firsts: i32': firsts, 'lasts: i32': lasts },
    uniforms: { rows: u32(rows) },
    body: () => `firsts[item] = i32(params.rows); lasts[item] = -1;`,
  });
  launchItems(gpu, {
    key: 'embedding-gradient-ends',
    items: rows,
    reads: { 'ids: i32': ids },
    writes: { 'firsts: atomic<i32>': firsts, 'lasts: atomic<i32>': lasts },
    body: () => /* wgsl */ `
  atomicMin(&firsts[ids[item]], i32(item));
  atomicMax(&lasts[ids[item]], i32(item));`,
  });
  launchItems(gpu, {
    key: 'embedding-gradient-chains',
    items: rows,
    reads: { 'ids: i32': ids, 'firsts: i32': firsts, 'lasts: i32': lasts },
    writes: { 'next: i32': next, 'repeated: i32': repeated },
    body: () => /* wgsl */ `
  let id = ids[item];
  repeated[item] = select(0, 1, firsts[id] < i32(item));
  var later = params.items;
  if (lasts[id] > i32(item)) {
    later = item + 1u;
    while (ids[later] != id) { later++; }
  }
  next[item] = i32(later);`,
  });
  dispose(firsts, lasts);
  return { next, repeated };
}

registerOp<EmbeddingAttributes>({
  name: 'RlEmbedding',
  wasm(memory, inputs, { tableOffset, vocabSize, width }) {
    const ids = input(inputs, 'ids');
    const [rows = 0] = ids.shape;
    checkIds(memory.ints(ids), vocabSize);
    const output = memory.allocate([rows, width], 'float32');
    const table = memory.pointer(input(inputs, 'table'), tableOffset);
    memory.parallel('embedding', rows, ROWS, table, memory.pointer(ids), memory.pointer(output), width);
    return [output];
  },
  webgpu(gpu, inputs, { tableOffset, vocabSize, width }) {
    const ids = input(inputs, 'ids');
    const rows = ids.shape[0] ?? 0;
    const { type, size } = widestPiece(width);
    const y = gpu.allocate([rows, width], 'float32');
    launchItems(gpu, {
      key: `embedding-${type}`,
      items: (rows * width) / size,
      reads: {
        [`table: ${type}`]: {
          tensor: input(inputs, 'table'),
          offset: tableOffset,
          length: vocabSize * width,
        },
        'ids: i32': ids,
      },
      writes: { [`y: ${type}`]: y },
      uniforms: { pieces: u32(width / size) },
      body: () => /* wgsl */ `
  y[item] = table[u32(ids[item / params.pieces]) * params.pieces + item % params.pieces];`,
    });
    return [y];
  },
});

registerOp<EmbeddingGradientAttributes>({
  name: 'RlEmbeddingGradient',
  wasm(memory, inputs, { targetOffset, vocabSize }) {
    const dy = input(inputs, 'dy');
    const ids = input(inputs, 'ids');
    const [rows = 0, width = 0] = dy.shape;
    checkIds(memory.ints(ids), vocabSize);
    memory.parallel(
      'embeddingGradient',
      width,
      COLUMNS,
      memory.pointer(dy),
      memory.pointer(ids),
      memory.pointer(input(inputs, 'target'), targetOffset),
      rows,
      width,
    );
    return [];
  },
  /**
   * Links each row to the next one of the same token, then walks the chain of each token's first row; the other rows have
   * nothing to do.
   */
  webgpu(gpu, inputs, { targetOffset, vocabSize }, { dispose }) {
    const dy = input(inputs, 'dy');
    const ids = input(inputs, 'ids');
    const [rows = 0, width = 0] = dy.shape;
    const { type, size } = widestPiece(width);
    const { next, repeated } = chains(gpu, ids, vocabSize, dispose);
    launchItems(gpu, {
      key: `embedding-gradient-${type}`,
      items: (rows * width) / size,
      reads: { [`dy: ${type}`]: dy, 'ids: i32': ids, 'next: i32': next, 'repeated: i32': repeated },
      writes: {
        [`sums: ${type}`]: {
          tensor: input(inputs, 'target'),
          offset: targetOffset,
          length: vocabSize * width,
        },
      },
      uniforms: { rows: u32(rows), pieces: u32(width / size) },
      body: () => /* wgsl */ `
  let first = item / params.pieces;
  let column = item % params.pieces;
  if (repeated[first] != 0) { return; }
  let at = u32(ids[first]) * params.pieces + column;
  var sum = sums[at];
  for (var row = first; row < params.rows; row = u32(next[row])) { sum += dy[row * params.pieces + column]; }
  sums[at] = sum;`,
    });
    dispose(next, repeated);
    return [];
  },
});
