import { f32, u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';
import { onlineSoftmax } from '../attention/onlineSoftmax.ts';
import { launchGroups, launchItems } from '../launch.ts';
import { rowVectors } from '../vectors.ts';
import type { DecodeAttentionAttributes, FillCacheAttributes } from './attributes.ts';

/** Keys at a time in a wide head: each lane scores one, then sums one element of the head over all of them. */
const LANES = 64;
/** Heads up to this size are left to one invocation each: barriers would cost more than they share. */
const MAX_NARROW_HEAD = 32;

export function decodeAttentionOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: DecodeAttentionAttributes,
): TensorInfo[] {
  append(gpu, inputs);
  const attend = attributes.headDim <= MAX_NARROW_HEAD ? attendNarrow : attendWide;
  return [attend(gpu, inputs, attributes)];
}

/** Writes the new keys and values into the caches, in place. */
function append(gpu: GpuDispatcher, inputs: Inputs): void {
  const k = input(inputs, 'k');
  const keys = input(inputs, 'keys');
  const [, capacity = 0, width = 0] = keys.shape;
  launchItems(gpu, {
    key: 'decode-append',
    items: util.sizeFromShape(k.shape),
    reads: {
      'k: f32': k,
      'v: f32': input(inputs, 'v'),
      'slots: i32': input(inputs, 'slots'),
      'positions: i32': input(inputs, 'positions'),
    },
    writes: { 'keys: f32': keys, 'values: f32': input(inputs, 'values') },
    uniforms: { width: u32(width), capacity: u32(capacity) },
    body: () => /* wgsl */ `
  let row = item / params.width;
  let entry = u32(slots[row]) * params.capacity + u32(positions[row]);
  let at = entry * params.width + item % params.width;
  keys[at] = k[item];
  values[at] = v[item];`,
  });
}

/** One invocation for each row and head. */
function attendNarrow(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { heads, kvHeads, headDim }: DecodeAttentionAttributes,
): TensorInfo {
  const q = input(inputs, 'q');
  const keys = input(inputs, 'keys');
  const rows = q.shape[0] ?? 0;
  const vectors = rowVectors(headDim);
  const { type, count, inner, each } = vectors;
  const output = gpu.allocate([rows, heads * headDim], 'float32');
  launchItems(gpu, {
    key: `decode-attention-narrow-${headDim}`,
    items: rows * heads,
    reads: {
      [`q: ${type}`]: q,
      [`k: ${type}`]: keys,
      [`v: ${type}`]: input(inputs, 'values'),
      'slots: i32': input(inputs, 'slots'),
      'positions: i32': input(inputs, 'positions'),
    },
    writes: { [`output: ${type}`]: output },
    uniforms: {
      capacity: u32(keys.shape[1] ?? 0),
      heads: u32(heads),
      kvHeads: u32(kvHeads),
      scale: f32(1 / Math.sqrt(headDim)),
    },
    declarations: () => inner,
    body: () => /* wgsl */ `
  let row = item / params.heads;
  let kvHead = item % params.heads * params.kvHeads / params.heads;
  let queryAt = item * ${count}u;
  let keyStride = params.kvHeads * ${count}u;
  var keyAt = u32(slots[row]) * params.capacity * keyStride + kvHead * ${count}u;
  let keyCount = u32(positions[row]) + 1u;
  ${onlineSoftmax(vectors)}
  ${each((i) => `output[queryAt + ${i}u] = o${i} / total;`)}`,
  });
  return output;
}

/** One workgroup for each row and head, with a running softmax over tiles of keys. */
function attendWide(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { heads, kvHeads, headDim }: DecodeAttentionAttributes,
): TensorInfo {
  const q = input(inputs, 'q');
  const keys = input(inputs, 'keys');
  const rows = q.shape[0] ?? 0;
  const { type, count, inner, sum } = rowVectors(headDim);
  const output = gpu.allocate([rows, heads * headDim], 'float32');
  const elements = Array.from({ length: Math.ceil(headDim / LANES) }, (_, i) => i);
  const each = (line: (i: number, element: string) => string): string =>
    elements.map((i) => line(i, `(lane + ${i * LANES}u)`)).join('\n');
  launchGroups(
    gpu,
    {
      key: `decode-attention-wide-${headDim}`,
      items: rows * heads,
      reads: {
        [`q: ${type}`]: q,
        [`keys: ${type}`]: keys,
        'values: f32': input(inputs, 'values'),
        'slots: i32': input(inputs, 'slots'),
        'positions: i32': input(inputs, 'positions'),
      },
      writes: { 'output: f32': output },
      uniforms: {
        capacity: u32(keys.shape[1] ?? 0),
        heads: u32(heads),
        kvHeads: u32(kvHeads),
        scale: f32(1 / Math.sqrt(headDim)),
      },
      declarations: () => `${inner}
var<workgroup> weights: array<f32, ${LANES}>;
var<workgroup> keyCount: u32;`,
      body: () => /* wgsl */ `
  let row = item / params.heads;
  let head = item % params.heads;
  if (lane == 0u) { keyCount = u32(positions[row]) + 1u; }
  let keyTotal = workgroupUniformLoad(&keyCount);
  let firstKey = u32(slots[row]) * params.capacity * params.kvHeads + head * params.kvHeads / params.heads;
  let queryAt = item * ${count}u;
  var highest = -1.0e30;
  var total = 0.0;
  ${each((i) => `var o${i} = 0.0;`)}
  for (var start = 0u; start < keyTotal; start += LANES) {
    let tile = min(LANES, keyTotal - start);
    var score = -1.0e30;
    if (lane < tile) {
      let keyAt = (firstKey + (start + lane) * params.kvHeads) * ${count}u;
      score = (${sum((i) => `inner(q[queryAt + ${i}u], keys[keyAt + ${i}u])`)}) * params.scale;
    }
    let next = max(highest, maxOverLanes(score, lane));
    let keep = exp(highest - next);
    let weight = select(0.0, exp(score - next), lane < tile);
    weights[lane] = weight;
    highest = next;
    total = total * keep + sumOverLanes(weight, lane);
    ${each((i) => `o${i} *= keep;`)}
    for (var j = 0u; j < tile; j++) {
      let valueAt = (firstKey + (start + j) * params.kvHeads) * ${headDim}u;
      ${each((i, element) => `if (${element} < ${headDim}u) { o${i} += weights[j] * values[valueAt + ${element}]; }`)}
    }
    workgroupBarrier();
  }
  ${each((i, element) => `if (${element} < ${headDim}u) { output[item * ${headDim}u + ${element}] = o${i} / total; }`)}`,
    },
    LANES,
  );
  return output;
}

/** Output: one unused element, since every kernel must return a tensor. */
export function fillCacheOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { length }: FillCacheAttributes,
): TensorInfo[] {
  const cache = input(inputs, 'cache');
  const sources = input(inputs, 'sources');
  const [, capacity = 0, width = 0] = cache.shape;
  launchItems(gpu, {
    key: 'fill-cache',
    items: (sources.shape[0] ?? 0) * length * width,
    reads: { 'rows: f32': input(inputs, 'rows'), 'sources: i32': sources },
    writes: { 'cache: f32': cache },
    uniforms: { capacity: u32(capacity), size: u32(length * width), width: u32(width) },
    body: () => /* wgsl */ `
  let slot = item / params.size;
  let within = item % params.size;
  cache[slot * params.capacity * params.width + within] = rows[u32(sources[slot]) * params.size + within];`,
  });
  return [gpu.allocate([1], 'float32')];
}
