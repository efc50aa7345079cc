import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { DecodeAttentionAttributes, FillCacheAttributes } from './attributes.ts';

export function decodeAttentionOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { heads, kvHeads, headDim }: DecodeAttentionAttributes,
): TensorInfo[] {
  const query = input(inputs, 'q');
  const keyCache = input(inputs, 'keys');
  const [, capacity = 0, kvWidth = 0] = keyCache.shape;
  const rows = query.shape[0] ?? 0;
  const width = heads * headDim;
  const output = memory.allocate([rows, width], 'float32');
  const q = memory.floats(query);
  const k = memory.floats(input(inputs, 'k'));
  const v = memory.floats(input(inputs, 'v'));
  const keys = memory.floats(keyCache);
  const values = memory.floats(input(inputs, 'values'));
  const slots = memory.ints(input(inputs, 'slots'));
  const positions = memory.ints(input(inputs, 'positions'));
  const out = memory.floats(output);
  const scratch = { query: new Float64Array(headDim), weights: new Float64Array(capacity) };
  for (let row = 0; row < rows; row++) {
    const position = positions[row] as number;
    const slotBase = (slots[row] as number) * capacity * kvWidth;
    keys.set(k.subarray(row * kvWidth, (row + 1) * kvWidth), slotBase + position * kvWidth);
    values.set(v.subarray(row * kvWidth, (row + 1) * kvWidth), slotBase + position * kvWidth);
    for (let head = 0; head < heads; head++) {
      const kvBase = slotBase + Math.floor((head * kvHeads) / heads) * headDim;
      const at = row * width + head * headDim;
      attendCache(
        q,
        keys,
        values,
        { at, kvBase, kvStride: kvWidth, count: position + 1, headDim },
        scratch,
        out,
      );
    }
  }
  return [output];
}

interface CacheRow {
  /** Start of the row's query, and of its output. */
  readonly at: number;
  /** Key and value j start at kvBase + j·kvStride. */
  readonly kvBase: number;
  readonly kvStride: number;
  readonly count: number;
  readonly headDim: number;
}

/** softmax(q·kᵀ / √headDim)·v of one head of one row. */
function attendCache(
  q: Float32Array,
  keys: Float32Array,
  values: Float32Array,
  { at, kvBase, kvStride, count, headDim }: CacheRow,
  { query, weights }: { query: Float64Array; weights: Float64Array },
  out: Float32Array,
): void {
  const scale = 1 / Math.sqrt(headDim);
  for (let i = 0; i < headDim; i++) query[i] = (q[at + i] as number) * scale;
  let max = -Infinity;
  for (let j = 0; j < count; j++) {
    const key = kvBase + j * kvStride;
    let even = 0;
    let odd = 0;
    for (let i = 0; i < headDim; i += 2) {
      even += (query[i] as number) * (keys[key + i] as number);
      odd += (query[i + 1] as number) * (keys[key + i + 1] as number);
    }
    const score = even + odd;
    weights[j] = score;
    if (score > max) max = score;
  }
  let sum = 0;
  for (let j = 0; j < count; j++) {
    const weight = Math.exp((weights[j] as number) - max);
    weights[j] = weight;
    sum += weight;
  }
  // Heads are even, since RoPE turns pairs.
  for (let i = 0; i < headDim; i += 2) {
    let even = 0;
    let odd = 0;
    for (let j = 0, value = kvBase + i; j < count; j++, value += kvStride) {
      even += (weights[j] as number) * (values[value] as number);
      odd += (weights[j] as number) * (values[value + 1] as number);
    }
    out[at + i] = even / sum;
    out[at + i + 1] = odd / sum;
  }
}

/** Output: one unused element, since every kernel must return a tensor. */
export function fillCacheOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  { length }: FillCacheAttributes,
): TensorInfo[] {
  const cache = input(inputs, 'cache');
  const [, capacity = 0, width = 0] = cache.shape;
  const done = memory.allocate([1], 'float32');
  const to = memory.floats(cache);
  const from = memory.floats(input(inputs, 'rows'));
  memory.ints(input(inputs, 'sources')).forEach((source, slot) => {
    to.set(from.subarray(source * length * width, (source + 1) * length * width), slot * capacity * width);
  });
  return [done];
}
