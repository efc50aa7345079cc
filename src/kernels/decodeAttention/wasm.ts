import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { attendRow } from '../attention/wasm.ts';
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
  const out = memory.floats(output).fill(0);
  const scale = 1 / Math.sqrt(headDim);
  const weights = new Float64Array(capacity);
  for (let row = 0; row < rows; row++) {
    const position = positions[row] as number;
    const slotBase = (slots[row] as number) * capacity * kvWidth;
    keys.set(k.subarray(row * kvWidth, (row + 1) * kvWidth), slotBase + position * kvWidth);
    values.set(v.subarray(row * kvWidth, (row + 1) * kvWidth), slotBase + position * kvWidth);
    for (let head = 0; head < heads; head++) {
      const kvBase = slotBase + Math.floor((head * kvHeads) / heads) * headDim;
      const at = row * width + head * headDim;
      attendRow(q, at, keys, values, kvBase, kvWidth, position + 1, headDim, scale, weights, out, at);
    }
  }
  return [output];
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
