/** Attention over the cache on the wasm heap, by the kernels in `src/simd/cacheAttention.ts`. */
import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';

export interface CacheAttentionAttributes {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
}

export interface FillCacheAttributes extends CacheAttentionAttributes {
  /** Positions of each prefilled row. */
  readonly length: number;
}

export interface ForkCacheAttributes {
  /** Positions to copy. */
  readonly length: number;
}

/** Rows that one thread takes at least: a row's share depends on its position, which only the device knows. */
const GRAIN = 4;
/** Floats copied below which a thread is not worth waking: some 5 µs. */
const FLOATS_PER_PART = 32_768;

/** Output: the mixed values [R, heads·headDim]. */
export function cacheAttentionOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { heads, kvHeads, headDim }: CacheAttentionAttributes,
): TensorInfo[] {
  const qkv = input(inputs, 'qkv');
  const [rows = 0] = qkv.shape;
  const keys = input(inputs, 'keys');
  const [, capacity = 0] = keys.shape;
  const mixed = memory.allocate([rows, heads * headDim], 'float32');
  const blockLength = memory.call('cacheAttentionScratch', capacity, headDim);
  const scratch = memory.scratch(memory.threads * blockLength);
  memory.parallel(
    'cacheAttention',
    rows,
    GRAIN,
    memory.pointer(qkv),
    memory.pointer(input(inputs, 'slots')),
    memory.pointer(input(inputs, 'positions')),
    memory.pointer(keys),
    memory.pointer(input(inputs, 'values')),
    memory.pointer(mixed),
    capacity,
    heads,
    kvHeads,
    headDim,
    scratch,
  );
  return [mixed];
}

export function fillCacheOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { length, heads, kvHeads, headDim }: FillCacheAttributes,
): TensorInfo[] {
  const keys = input(inputs, 'keys');
  const [, capacity = 0, kvWidth = kvHeads * headDim] = keys.shape;
  const slots = input(inputs, 'slots');
  memory.parallel(
    'fillCache',
    slots.shape[0] ?? 0,
    Math.ceil(FLOATS_PER_PART / (2 * length * kvWidth)),
    memory.pointer(input(inputs, 'qkv')),
    memory.pointer(input(inputs, 'sources')),
    memory.pointer(slots),
    memory.pointer(keys),
    memory.pointer(input(inputs, 'values')),
    length,
    capacity,
    heads * headDim,
    kvWidth,
  );
  return [];
}

export function forkCacheOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { length }: ForkCacheAttributes,
): TensorInfo[] {
  const keys = input(inputs, 'keys');
  const [, capacity = 0, kvWidth = 0] = keys.shape;
  const to = input(inputs, 'to');
  memory.parallel(
    'forkCache',
    to.shape[0] ?? 0,
    Math.ceil(FLOATS_PER_PART / (2 * length * kvWidth)),
    memory.pointer(keys),
    memory.pointer(input(inputs, 'values')),
    memory.pointer(input(inputs, 'from')),
    memory.pointer(to),
    capacity * kvWidth,
    length * kvWidth,
  );
  return [];
}
