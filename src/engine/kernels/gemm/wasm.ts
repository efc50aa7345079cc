/** Products on the wasm heap, by the kernels in `src/engine/simd/gemm.ts`. */
import type { HostMemory } from '../../backend/host.ts';
import { elsewhere, placesIn, type Elsewhere } from '../../backend/sharedHeap.ts';
import type { Simd } from '../../backend/simd.ts';
import { type WasmBody, input } from '../../backend/kernelRegistry.ts';
import { isBlockFormat } from '../blockFormats/blockFormats.ts';
import { FROZEN_FORMATS, type FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { matrixView, type MatrixAttributes, type MatrixView } from '../frozenMatrix/matrixView.ts';
import { copyFloats, copyRows } from '../shared/copyRows.ts';
import type { GemmLayout, GemmShape } from './shape.ts';

export interface GemmAttributes extends GemmShape {
  readonly layout: GemmLayout;
  /** The first elements of A and the bias in their tensors. */
  readonly aOffset: number;
  readonly b: MatrixAttributes;
  readonly biasOffset: number;
}

export interface GemmIntoAttributes extends GemmShape {
  readonly layout: GemmLayout;
  readonly aOffset: number;
  readonly bOffset: number;
  readonly targetOffset: number;
}

export const gemmOnWasm: WasmBody<GemmAttributes> = (memory, inputs, attributes) => {
  const c = memory.allocate([attributes.m, attributes.n], 'float32');
  const { bias, residual } = inputs;
  multiplyBlocks(memory, attributes.layout, attributes, matrixView(inputs, 'b', attributes.b), {
    a: memory.pointer(input(inputs, 'a'), attributes.aOffset),
    c: memory.pointer(c),
    accumulate: false,
    bias: bias ? memory.pointer(bias, attributes.biasOffset) : 0,
    residual: residual ? memory.pointer(residual) : 0,
  });
  return [c];
};

export const gemmIntoOnWasm: WasmBody<GemmIntoAttributes> = (memory, inputs, attributes) => {
  multiply(memory, attributes.layout, attributes, {
    a: memory.pointer(input(inputs, 'a'), attributes.aOffset),
    b: memory.pointer(input(inputs, 'b'), attributes.bOffset),
    c: memory.pointer(input(inputs, 'target'), attributes.targetOffset),
    accumulate: true,
    bias: 0,
    residual: 0,
  });
  return [];
};

/** The addresses of the operands; 0 for a missing one. */
export interface Operands {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** True if the product is added to the contents of C. */
  readonly accumulate: boolean;
  readonly bias: number;
  readonly residual: number;
}

/** A block of a larger product. */
interface BlockOperands extends Operands {
  /** The bytes from row to row of A, and of C and the residual. */
  readonly aRow: number;
  readonly cRow: number;
  readonly format: FrozenFormat;
  /** The first element of B, if it is not its first. */
  readonly bFirst?: number;
  /** The elements from row to row of B, if there are others between. */
  readonly bRow?: number;
}

/** The columns of a frozen matrix that are multiplied elsewhere are cut at multiples of this. */
const COLUMN_STEP = 64;

const KERNELS = { nn: 'gemmNN', nt: 'gemmNT', tn: 'gemmTN' } as const;
const FROZEN_KERNELS = { nn: 'gemmFrozenNN', nt: 'gemmFrozenNT' } as const;
const FLOAT_BYTES = 4;
/**
 * Products differ in what is in scratch memory, `contents` of `gemmScratch`, and in the largest inner size of one pass over C. With 256 a
 * panel of floats takes 8 KB, which stay in the first-level cache. Words are unpacked in longer pieces, in which memory is read faster: the widths
 * of small models, 576 and 640, are one pass. One row is multiplied by floats in their place, or by codes, of which 1,536 take 18 KB.
 */
const SCRATCH = {
  floats: { contents: 0, inner: 256 },
  transposed: { contents: 1, inner: 256 },
  words: { contents: 2, inner: 640 },
  rowOfCodes: { contents: 3, inner: 4096 },
  rowOfFloats: { contents: 0, inner: 1024 },
} as const;
/** The fewest floating-point operations that are worth waking a thread for: some 5 µs. */
const OPERATIONS_PER_PART = 250_000;
/** The rows whose products take as long as unpacking a block's weights. */
const UNPACKING_ROWS = 6;

const rowBytesOfA = (layout: GemmLayout, { m, k }: GemmShape): number =>
  (layout === 'tn' ? m : k) * FLOAT_BYTES;

/** The floats from row to row of matrices as they are stored, which may be parts of longer rows. */
interface RowLengths {
  readonly a?: number;
  readonly b?: number;
  /** Also those of the residual. */
  readonly c?: number;
}

/** C = op(A) · op(B) [+ bias] [+ residual] on addresses, for ops that hold their operands elsewhere than in tensors. */
export function multiply(
  memory: HostMemory,
  layout: GemmLayout,
  shape: GemmShape,
  operands: Operands,
  { a, b, c = shape.n }: RowLengths = {},
): void {
  const whole = {
    aRow: a === undefined ? rowBytesOfA(layout, shape) : a * FLOAT_BYTES,
    cRow: c * FLOAT_BYTES,
    ...(b !== undefined && { bRow: b }),
    format: 'f32',
  } as const;
  multiplyBlock(memory, layout, shape, { ...operands, ...whole });
}

/**
 * The product with the blocks of a matrix for B. In `nt` each block gives a range of columns of C, else a range of K, over which the sums
 * continue.
 */
export function multiplyBlocks(
  memory: HostMemory,
  layout: GemmLayout,
  shape: GemmShape,
  { blocks }: MatrixView,
  { a, c, accumulate, bias, residual }: Omit<Operands, 'b'>,
): void {
  const aRow = rowBytesOfA(layout, shape);
  const cRow = shape.n * FLOAT_BYTES;
  const aStep = layout === 'tn' ? aRow : FLOAT_BYTES;
  for (const { firstRow, rows, format, words, offset } of blocks) {
    const place = elsewhere(words);
    if (place) {
      if (layout !== 'nt') throw new Error(`gemm ${layout}: B lies in another thread; such products are nt.`);
      const shift = firstRow * FLOAT_BYTES;
      const ends = { bias: bias && bias + shift, residual: residual && residual + shift };
      const whole = { ...ends, a, aRow, c: c + shift, cRow, format, accumulate };
      multiplyElsewhere(memory, place, { ...shape, n: rows }, whole);
      continue;
    }
    const b = memory.pointer(words, offset);
    const block = { b, aRow, cRow, format };
    if (layout === 'nt') {
      const shift = firstRow * FLOAT_BYTES;
      const ends = { bias: bias && bias + shift, residual: residual && residual + shift };
      multiplyBlock(
        memory,
        layout,
        { ...shape, n: rows },
        { ...block, a, c: c + shift, accumulate, ...ends },
      );
    } else {
      const isLast = firstRow + rows === shape.k;
      const ends = { bias: isLast ? bias : 0, residual: isLast ? residual : 0 };
      const start = { a: a + firstRow * aStep, c, accumulate: accumulate || firstRow > 0 };
      multiplyBlock(memory, layout, { ...shape, k: rows }, { ...block, ...start, ...ends });
    }
  }
}

/**
 * The rows of A and the columns of B that are multiplied at a time in a room of so many floats, and the lengths of what lies there: rows
 * of A, the product, the residual and the bias.
 */
export function pieceElsewhere(
  room: number,
  { m, n, k }: GemmShape,
): { rows: number; columns: number; lengths: readonly number[] } {
  const third = Math.floor(room / 3);
  const rows = Math.min(m, Math.max(1, Math.floor(third / Math.max(k, COLUMN_STEP)) - 1));
  const columns = Math.min(n, Math.floor(third / (rows + 1) / COLUMN_STEP) * COLUMN_STEP);
  return { rows, columns, lengths: [rows * k, rows * columns, rows * columns, columns] };
}

/**
 * A · Bᵀ with a frozen B on another thread's heap: rows of A, columns of the residual and of the bias go there, and the product comes
 * back. Every element of C is one sum over k, however rows and columns are cut.
 */
function multiplyElsewhere(
  memory: HostMemory,
  { heap, address: b }: Elsewhere,
  { m, n, k }: GemmShape,
  { a, aRow, c, cRow, bias, residual, format, accumulate }: Omit<BlockOperands, 'b'>,
): void {
  if (accumulate) throw new Error('gemm: a product with a matrix in another thread adds to nothing.');
  const { rows, columns, lengths } = pieceElsewhere(heap.length, { m, n, k });
  const [atA = 0, atC = 0, atResidual = 0, atBias = 0] = placesIn(heap, lengths);
  const [own, there] = [memory.heapFloats(), heap.floats()];
  for (let row = 0; row < m; row += rows) {
    const count = Math.min(rows, m - row);
    const inA = { floats: there, address: atA, stride: k * FLOAT_BYTES };
    copyRows({ floats: own, address: a + row * aRow, stride: aRow }, inA, count, k);
    for (let column = 0; column < n; column += columns) {
      const width = Math.min(columns, n - column);
      const stride = width * FLOAT_BYTES;
      const shift = row * cRow + column * FLOAT_BYTES;
      if (residual) {
        const from = { floats: own, address: residual + shift, stride: cRow };
        copyRows(from, { floats: there, address: atResidual, stride }, count, width);
      }
      if (bias) {
        const from = { floats: own, address: bias + column * FLOAT_BYTES };
        copyFloats(from, { floats: there, address: atBias }, width);
      }
      multiplyBlock(
        heap,
        'nt',
        { m: count, n: width, k },
        {
          a: atA,
          aRow: k * FLOAT_BYTES,
          b,
          bFirst: column * k,
          c: atC,
          cRow: stride,
          accumulate: false,
          bias: bias && atBias,
          residual: residual && atResidual,
          format,
        },
      );
      const result = { floats: there, address: atC, stride };
      copyRows(result, { floats: own, address: c + shift, stride: cRow }, count, width);
    }
  }
}

function scratchFor(layout: GemmLayout, m: number, format: FrozenFormat): keyof typeof SCRATCH {
  if (layout === 'tn') return 'transposed';
  if (format === 'f32') return m === 1 ? 'rowOfFloats' : 'floats';
  return m === 1 && layout === 'nt' && isBlockFormat(format) ? 'rowOfCodes' : 'words';
}

function multiplyBlock(
  memory: Simd & Pick<HostMemory, 'scratch'>,
  layout: GemmLayout,
  { m, n, k }: GemmShape,
  operands: BlockOperands,
): void {
  const { a, aRow, b, bFirst = 0, c, cRow, accumulate, bias, residual, format } = operands;
  const columns = operands.bRow ?? (layout === 'nt' ? k : n);
  const aStep = layout === 'tn' ? aRow : FLOAT_BYTES;
  const items = memory.call('gemmItems', m, n);
  const { contents, inner: most } = SCRATCH[scratchFor(layout, m, format)];
  const depth = Math.min(k, most);
  const scratch = memory.scratch(memory.threads * memory.call('gemmScratch', depth, contents));
  const rows = isBlockFormat(format) ? m + UNPACKING_ROWS : m;
  const grain = Math.ceil((OPERATIONS_PER_PART * items) / (2 * rows * n * Math.max(depth, 1)));
  let done = 0;
  do {
    const inner = Math.min(depth, k - done);
    const isLast = done + inner === k;
    // The first element of B in this pass.
    const first = bFirst + (layout === 'nt' ? done : done * columns);
    const ofB = format === 'f32' ? [b + first * FLOAT_BYTES, columns * FLOAT_BYTES] : [b, columns];
    const places = [a + done * aStep, aRow, ...ofB, c, cRow, m, n, inner];
    const ends = [accumulate || done > 0 ? 1 : 0, isLast ? bias : 0, isLast ? residual : 0];
    if (format === 'f32') {
      memory.parallel(KERNELS[layout], items, grain, ...places, ...ends, scratch);
    } else {
      const words = [FROZEN_FORMATS.indexOf(format), first];
      memory.parallel(frozenKernel(layout), items, grain, ...words, ...places, ...ends, scratch);
    }
    done += inner;
  } while (done < k);
}

function frozenKernel(layout: GemmLayout): string {
  if (layout === 'tn') throw new Error('gemm tn: B is frozen; products with a frozen matrix are nt or nn.');
  return FROZEN_KERNELS[layout];
}
