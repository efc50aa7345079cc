/** Products on the wasm heap, by the kernels in `src/simd/gemm.ts`. */
import type { HostMemory } from '../../backend/host.ts';
import { type WasmBody, input } from '../../backend/kernelRegistry.ts';
import type { GemmLayout, GemmShape } from './shape.ts';

export interface GemmAttributes extends GemmShape {
  readonly layout: GemmLayout;
  /** First elements of A, B and the bias in their tensors. */
  readonly aOffset: number;
  readonly bOffset: number;
  readonly biasOffset: number;
  /** B is an int32 tensor of f16 pairs; its offset counts f16 elements. */
  readonly half?: boolean;
}

export interface GemmIntoAttributes extends GemmShape {
  readonly layout: GemmLayout;
  readonly aOffset: number;
  readonly bOffset: number;
  readonly targetOffset: number;
  readonly half?: boolean;
}

export const gemmOnWasm: WasmBody<GemmAttributes> = (memory, inputs, attributes) => {
  const c = memory.allocate([attributes.m, attributes.n], 'float32');
  const { bias, residual } = inputs;
  multiply(memory, attributes.layout, attributes, {
    a: memory.pointer(input(inputs, 'a'), attributes.aOffset),
    b: memory.pointer(input(inputs, 'b'), attributes.bOffset),
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

/** Addresses; 0 for what there is not. */
export interface Operands {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** Adds to what is in C. */
  readonly accumulate: boolean;
  readonly bias: number;
  readonly residual: number;
}

const KERNELS = { nn: 'gemmNN', nt: 'gemmNT', tn: 'gemmTN' } as const;
const FLOAT_BYTES = 4;
/** Inner size of one pass over C. With it a panel of B takes 8 KB, which stay in the first-level cache. */
const INNER = 256;
/** Work below which a thread is not worth waking, in floating-point operations: some 5 µs. */
const OPERATIONS_PER_PART = 250_000;

/** C = op(A) · op(B) [+ bias] [+ residual] on addresses, for ops that hold their operands elsewhere than in tensors. */
export function multiply(
  memory: HostMemory,
  layout: GemmLayout,
  { m, n, k }: GemmShape,
  { a, b, c, accumulate, bias, residual }: Operands,
): void {
  const aRow = (layout === 'tn' ? m : k) * FLOAT_BYTES;
  const bRow = (layout === 'nt' ? k : n) * FLOAT_BYTES;
  const aStep = layout === 'tn' ? aRow : FLOAT_BYTES;
  const bStep = layout === 'nt' ? FLOAT_BYTES : bRow;
  const items = memory.call('gemmItems', m, n);
  const depth = Math.min(k, INNER);
  const scratch = memory.scratch(memory.threads * memory.call('gemmScratch', depth));
  const grain = Math.ceil((OPERATIONS_PER_PART * items) / (2 * m * n * Math.max(depth, 1)));
  let done = 0;
  do {
    const inner = Math.min(INNER, k - done);
    const isLast = done + inner === k;
    const operands = [a + done * aStep, aRow, b + done * bStep, bRow, c, m, n, inner];
    const ends = [accumulate || done > 0 ? 1 : 0, isLast ? bias : 0, isLast ? residual : 0];
    memory.parallel(KERNELS[layout], items, grain, ...operands, ...ends, scratch);
    done += inner;
  } while (done < k);
}
