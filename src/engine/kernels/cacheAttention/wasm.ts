/** Attention over the cache on the wasm heap, by the kernels in `src/engine/simd/cacheAttention.ts`. */
import { type WasmBody, input, pointers } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { attentionRule, type AttentionRule } from '../shared/attention.ts';

interface CacheShape {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

export interface CacheAttentionAttributes extends CacheShape, AttentionRule {}

export interface FillCacheAttributes extends CacheShape {
  /** The number of positions of each prefilled row, padding included. */
  readonly length: number;
}

export interface ForkCacheAttributes {
  /** The number of positions to copy. */
  readonly length: number;
}

/** The least rows of one thread. A row's share of the work depends on its position, which only the device knows. */
const GRAIN = 4;
/** The fewest copied floats that are worth waking a thread for: some 5 µs. */
const FLOATS_PER_PART = 32_768;

/** 1 if a cache holds halves, two to a word, else 0. */
const inHalves = ({ dtype }: TensorInfo): number => (dtype === 'int32' ? 1 : 0);

/** Outputs the mixed values [R, heads·headDim]. */
export const cacheAttentionOnWasm: WasmBody<CacheAttentionAttributes> = (memory, inputs, attributes) => {
  const { heads, kvHeads, headDim } = attributes;
  const { scale, window } = attentionRule(attributes);
  const qkv = input(inputs, 'qkv');
  const [rows = 0] = qkv.shape;
  const keys = input(inputs, 'keys');
  const [, capacity = 0] = keys.shape;
  const mixed = memory.allocate([rows, heads * headDim], 'float32');
  const halves = inHalves(keys);
  const blockLength = memory.call('cacheAttentionScratch', capacity, headDim, halves);
  const scratch = memory.scratch(memory.threads * blockLength);
  memory.parallel(
    'cacheAttention',
    rows,
    GRAIN,
    memory.pointer(qkv),
    ...pointers(memory, inputs, 'slots', 'positions'),
    memory.pointer(keys),
    memory.pointer(input(inputs, 'values')),
    memory.pointer(mixed),
    capacity,
    heads,
    kvHeads,
    headDim,
    window,
    scale,
    scratch,
    halves,
  );
  return [mixed];
};

export const fillCacheOnWasm: WasmBody<FillCacheAttributes> = (
  memory,
  inputs,
  { length, heads, kvHeads, headDim },
) => {
  const keys = input(inputs, 'keys');
  const [, capacity = 0] = keys.shape;
  const kvWidth = kvHeads * headDim;
  const slots = input(inputs, 'slots');
  memory.parallel(
    'fillCache',
    slots.shape[0] ?? 0,
    Math.ceil(FLOATS_PER_PART / (2 * length * kvWidth)),
    ...pointers(memory, inputs, 'qkv', 'sources'),
    memory.pointer(slots),
    memory.pointer(input(inputs, 'lengths')),
    memory.pointer(keys),
    memory.pointer(input(inputs, 'values')),
    length,
    capacity,
    heads * headDim,
    kvWidth,
    inHalves(keys),
  );
  return [];
};

export const forkCacheOnWasm: WasmBody<ForkCacheAttributes> = (memory, inputs, { length }) => {
  const keys = input(inputs, 'keys');
  const [, capacity = 0, kvWidth = 0] = keys.shape;
  const to = input(inputs, 'to');
  memory.parallel(
    'forkCache',
    to.shape[0] ?? 0,
    Math.ceil(FLOATS_PER_PART / (2 * length * kvWidth)),
    memory.pointer(keys),
    ...pointers(memory, inputs, 'values', 'from'),
    memory.pointer(to),
    capacity * kvWidth,
    length * kvWidth,
  );
  return [];
};
