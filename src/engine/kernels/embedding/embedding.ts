/**
 * Token embedding: row `ids[n]` of the table. The backward pass adds dy over the occurrences of each token in ascending order of
 * position, without atomics, so it is the same to the bit on every run. tfjs' gather gradient is not, and is not available on wasm.
 */
import type * as tf from '../../backend/tf.ts';
import type { HostMemory } from '../../backend/host.ts';
import { registerOp, runInPlace, runSingle, input } from '../../backend/kernelRegistry.ts';
import { elsewhere, placesIn, type Elsewhere } from '../../backend/sharedHeap.ts';
import { FROZEN_FORMATS, type FrozenMatrix } from '../frozenMatrix/frozenMatrix.ts';
import {
  matrixAttributes,
  matrixInputs,
  matrixView,
  type MatrixAttributes,
} from '../frozenMatrix/matrixView.ts';
import { blockBinding, matrixElement, matrixLoad } from '../frozenMatrix/wgsl.ts';
import { copyFloats } from '../shared/copyRows.ts';
import type { Operand, Slice } from '../shared/slice.ts';
import { u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

interface EmbeddingAttributes {
  readonly table: MatrixAttributes;
}

interface EmbeddingGradientAttributes {
  readonly targetOffset: number;
  readonly vocabSize: number;
}

/** `table` [V, D], `ids` int32 [N] → [N, D] in f32. A frozen table has no gradient. @throws Error if the table is no matrix. */
export function embedding(table: Operand | FrozenMatrix, ids: tf.Tensor): tf.Tensor2D {
  if (table.shape.length !== 2) {
    throw new Error(`embedding: the table has shape [${table.shape.join(', ')}]; it must be [V, D].`);
  }
  const inputs = { ...matrixInputs('table', table), ids };
  return runSingle('RlEmbedding', inputs, { table: matrixAttributes(table) }) as tf.Tensor2D;
}

/** Adds row n of `dy` [N, D] to row `ids[n]` of `target` [V, D]. */
export function embeddingGradient(dy: tf.Tensor, ids: tf.Tensor, target: Slice): void {
  const [vocabSize = 0] = target.shape;
  const attributes = { targetOffset: target.offset, vocabSize };
  runInPlace('RlEmbeddingGradient', { dy, ids, target: target.tensor }, attributes);
}

/** The least rows that one thread looks up. */
const ROWS = 512;
/** The least columns that one thread adds, a multiple of four. */
const COLUMNS = 32;

/** Refuses wrong ids, which would read or write memory of other tensors. */
function checkIds(ids: Int32Array, vocabSize: number): void {
  const wrong = ids.findIndex((id) => id < 0 || id >= vocabSize);
  if (wrong >= 0) {
    throw new Error(
      `embedding: id ${ids[wrong]} at position ${wrong}; ids must be from 0 to ${vocabSize - 1}.`,
    );
  }
}

/**
 * The links between rows of the same token. `next` is the next row of the same token, or the number of rows; `repeated` is 1 if a row is
 * not its token's first. The first and the last row of each token are found beforehand, so that no row searches for one that does not
 * exist: in a large vocabulary most would, to the end.
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

/** Looks rows up in a block of the table on another thread's heap. Rows of other blocks' ids stay as they are. */
function lookUpElsewhere(
  memory: HostMemory,
  { heap, address }: Elsewhere,
  [format, firstRow, rows]: readonly [number, number, number],
  { ids, y }: { readonly ids: tf.TensorInfo; readonly y: tf.TensorInfo },
): void {
  const [count = 0, columns = 0] = y.shape;
  const most = Math.floor(heap.length / (columns + 1));
  const [atIds = 0, atY = 0] = placesIn(heap, [most, most * columns]);
  const own = memory.heapFloats();
  const there = heap.floats();
  for (let first = 0; first < count; first += most) {
    const found = Math.min(most, count - first);
    const ownIds = { floats: own, address: memory.pointer(ids, first) };
    const ownY = { floats: own, address: memory.pointer(y, first * columns) };
    copyFloats(ownIds, { floats: there, address: atIds }, found);
    copyFloats(ownY, { floats: there, address: atY }, found * columns);
    heap.parallel('embedding', found, ROWS, format, address, firstRow, rows, atIds, atY, columns);
    copyFloats({ floats: there, address: atY }, ownY, found * columns);
  }
}

registerOp<EmbeddingAttributes>({
  name: 'RlEmbedding',
  wasm(memory, inputs, { table }) {
    const ids = input(inputs, 'ids');
    const [count = 0] = ids.shape;
    checkIds(memory.ints(ids), table.rows);
    const y = memory.allocate([count, table.columns], 'float32');
    const { blocks, columns } = matrixView(inputs, 'table', table);
    for (const { firstRow, rows, format, words, offset } of blocks) {
      const place = elsewhere(words);
      if (place) {
        lookUpElsewhere(memory, place, [FROZEN_FORMATS.indexOf(format), firstRow, rows], { ids, y });
        continue;
      }
      const from = [memory.pointer(words, offset), firstRow, rows];
      const to = [memory.pointer(ids), memory.pointer(y), columns];
      memory.parallel('embedding', count, ROWS, FROZEN_FORMATS.indexOf(format), ...from, ...to);
    }
    return [y];
  },
  /** Makes a dispatch for each block, which writes the rows of its own ids. */
  webgpu(gpu, inputs, { table }) {
    const ids = input(inputs, 'ids');
    const [count = 0] = ids.shape;
    const matrix = matrixView(inputs, 'table', table);
    const { columns } = matrix;
    const { type, size } = widestPiece(columns);
    const y = gpu.allocate([count, columns], 'float32');
    for (const block of matrix.blocks) {
      const { format } = block;
      launchItems(gpu, {
        key: `embedding-${format}-${type}`,
        items: (count * columns) / size,
        reads: {
          [`table: ${size === 4 ? matrixElement(format) : type}`]: blockBinding(matrix, block),
          'ids: i32': ids,
        },
        writes: { [`y: ${type}`]: y },
        uniforms: { pieces: u32(columns / size), firstRow: u32(block.firstRow), rows: u32(block.rows) },
        declarations: () =>
          size === 4
            ? matrixLoad('pieceOf', 'table', format)
            : `fn pieceOf(at: u32) -> ${type} { return table[at]; }`,
        body: () => /* wgsl */ `
  let row = u32(ids[item / params.pieces]) - params.firstRow;
  if (row >= params.rows) { return; }
  y[item] = pieceOf(row * params.pieces + item % params.pieces);`,
      });
    }
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
  /** Links each row to the next one of the same token, then follows the chain from each token's first row; the other rows have nothing to do. */
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
