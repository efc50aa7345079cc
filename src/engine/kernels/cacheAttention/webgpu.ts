import { f32, u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { type WebGpuBody, input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { attentionRule } from '../shared/attention.ts';
import { launchGroups, launchItems, type Launch } from '../shared/launch.ts';
import { rowVectors, widestPiece } from '../shared/vectors.ts';
import type { CacheAttentionAttributes, FillCacheAttributes, ForkCacheAttributes } from './wasm.ts';

/** Keys at a time in a wide head: each lane scores one, then sums one element of the head over all of them. */
const LANES = 64;
/** Heads up to this size are left to one invocation each: barriers would cost more than they share. */
const MAX_NARROW_HEAD = 32;

export const cacheAttentionOnWebGpu: WebGpuBody<CacheAttentionAttributes> = (gpu, inputs, attributes) => {
  append(gpu, inputs, attributes);
  const attend = attributes.headDim <= MAX_NARROW_HEAD ? attendNarrow : attendWide;
  return [attend(gpu, inputs, attributes)];
};

/** Writes the new keys and values into the caches. */
function append(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { heads, kvHeads, headDim }: CacheAttentionAttributes,
): void {
  const keys = input(inputs, 'keys');
  const qkv = input(inputs, 'qkv');
  const { type, size } = widestPiece(headDim);
  const width = (kvHeads * headDim) / size;
  launchItems(gpu, {
    key: `cache-append-${type}`,
    items: (qkv.shape[0] ?? 0) * width,
    reads: {
      [`qkv: ${type}`]: qkv,
      'slots: i32': input(inputs, 'slots'),
      'positions: i32': input(inputs, 'positions'),
    },
    writes: { [`keys: ${type}`]: keys, [`values: ${type}`]: input(inputs, 'values') },
    uniforms: {
      width: u32(width),
      queryWidth: u32((heads * headDim) / size),
      capacity: u32(keys.shape[1] ?? 0),
    },
    body: () => /* wgsl */ `
  let row = item / params.width;
  let i = item % params.width;
  let source = row * (params.queryWidth + 2u * params.width) + params.queryWidth + i;
  let to = (u32(slots[row]) * params.capacity + u32(positions[row]) % params.capacity) * params.width + i;
  keys[to] = qkv[source];
  values[to] = qkv[source + params.width];`,
  });
}

/** The parts of a launch that both ways to attend share. Keys and values are bound as pieces of their own types. */
function attendLaunch(
  inputs: Inputs,
  output: TensorInfo,
  attributes: CacheAttentionAttributes,
  types: { queries: string; values: string },
): Pick<Launch, 'items' | 'reads' | 'writes' | 'uniforms'> {
  const keys = input(inputs, 'keys');
  const { heads, kvHeads } = attributes;
  const { scale, window } = attentionRule(attributes);
  return {
    items: (output.shape[0] ?? 0) * heads,
    reads: {
      [`qkv: ${types.queries}`]: input(inputs, 'qkv'),
      [`keys: ${types.queries}`]: keys,
      [`values: ${types.values}`]: input(inputs, 'values'),
      'slots: i32': input(inputs, 'slots'),
      'positions: i32': input(inputs, 'positions'),
    },
    writes: { [`output: ${types.values}`]: output },
    uniforms: {
      capacity: u32(keys.shape[1] ?? 0),
      heads: u32(heads),
      kvHeads: u32(kvHeads),
      scale: f32(scale),
      window: u32(window),
    },
  };
}

const findRow = (pieces: number): string => /* wgsl */ `
  let row = item / params.heads;
  let head = item % params.heads;
  let kvHead = head * params.kvHeads / params.heads;
  let queryAt = (row * (params.heads + 2u * params.kvHeads) + head) * ${pieces}u;
  let slot = u32(slots[row]) * params.capacity;`;

/** The first position in the window of one. */
const FIRST_IN_WINDOW = 'fn firstInWindow(at: u32) -> u32 { return at + 1u - min(at + 1u, params.window); }';
/** A place in a slot, where places beyond its end go on at its beginning. */
const WRAPPED =
  'fn wrapped(at: u32) -> u32 { return select(at, at - params.capacity, at >= params.capacity); }';

function outputOf(
  gpu: GpuDispatcher,
  inputs: Inputs,
  { heads, headDim }: CacheAttentionAttributes,
): TensorInfo {
  return gpu.allocate([input(inputs, 'qkv').shape[0] ?? 0, heads * headDim], 'float32');
}

/** One invocation for each row and head, with a running softmax that the first key starts. */
function attendNarrow(gpu: GpuDispatcher, inputs: Inputs, attributes: CacheAttentionAttributes): TensorInfo {
  const { headDim } = attributes;
  const { type, count, inner, each, sum } = rowVectors(headDim);
  const output = outputOf(gpu, inputs, attributes);
  const score = sum((i) => `inner(q${i}, keys[keyAt + ${i}u])`);
  launchItems(gpu, {
    key: `cache-attention-narrow-${headDim}`,
    ...attendLaunch(inputs, output, attributes, { queries: type, values: type }),
    declarations: () => `${inner}\n${FIRST_IN_WINDOW}`,
    body: () => /* wgsl */ `${findRow(count)}
  let keyStride = params.kvHeads * ${count}u;
  let last = u32(positions[row]);
  let first = firstInWindow(last);
  let slotSize = params.capacity * keyStride;
  let slotEnd = slot * keyStride + slotSize;
  var keyAt = (slot + first % params.capacity) * keyStride + kvHead * ${count}u;
  ${each((i) => `let q${i} = qkv[queryAt + ${i}u] * params.scale;`)}
  ${each((i) => `var o${i} = values[keyAt + ${i}u];`)}
  var highest = ${score};
  var total = 1.0;
  for (var j = first + 1u; j <= last; j++) {
    keyAt += keyStride;
    if (keyAt >= slotEnd) { keyAt -= slotSize; }
    let score = ${score};
    let next = max(highest, score);
    let keep = exp(highest - next);
    let weight = exp(score - next);
    highest = next;
    total = total * keep + weight;
    ${each((i) => `o${i} = o${i} * keep + values[keyAt + ${i}u] * weight;`)}
  }
  ${each((i) => `output[item * ${count}u + ${i}u] = o${i} / total;`)}`,
  });
  return output;
}

/** One workgroup for each row and head, with a running softmax over tiles of keys. */
function attendWide(gpu: GpuDispatcher, inputs: Inputs, attributes: CacheAttentionAttributes): TensorInfo {
  const { headDim } = attributes;
  const { type, count, inner, sum } = rowVectors(headDim);
  const output = outputOf(gpu, inputs, attributes);
  const elements = Array.from({ length: Math.ceil(headDim / LANES) }, (_, i) => i);
  const each = (line: (i: number, element: string) => string): string =>
    elements.map((i) => line(i, `(lane + ${i * LANES}u)`)).join('\n');
  launchGroups(
    gpu,
    {
      key: `cache-attention-wide-${headDim}`,
      ...attendLaunch(inputs, output, attributes, { queries: type, values: 'f32' }),
      declarations: () => `${inner}
${FIRST_IN_WINDOW}
${WRAPPED}
var<workgroup> weights: array<f32, ${LANES}>;
var<workgroup> lastKey: u32;`,
      body: () => /* wgsl */ `${findRow(count)}
  if (lane == 0u) { lastKey = u32(positions[row]); }
  let last = workgroupUniformLoad(&lastKey);
  let first = firstInWindow(last);
  let keyTotal = last + 1u - first;
  let firstAt = first % params.capacity;
  var highest = -1.0e30;
  var total = 0.0;
  ${each((i) => `var o${i} = 0.0;`)}
  for (var start = 0u; start < keyTotal; start += LANES) {
    let tile = min(LANES, keyTotal - start);
    var score = -1.0e30;
    if (lane < tile) {
      let keyAt = ((slot + wrapped(firstAt + start + lane)) * params.kvHeads + kvHead) * ${count}u;
      score = (${sum((i) => `inner(qkv[queryAt + ${i}u], keys[keyAt + ${i}u])`)}) * params.scale;
    }
    let next = max(highest, maxOverLanes(score, lane));
    let keep = exp(highest - next);
    let weight = select(0.0, exp(score - next), lane < tile);
    weights[lane] = weight;
    highest = next;
    total = total * keep + sumOverLanes(weight, lane);
    ${each((i) => `o${i} *= keep;`)}
    for (var j = 0u; j < tile; j++) {
      let valueAt = ((slot + wrapped(firstAt + start + j)) * params.kvHeads + kvHead) * ${headDim}u;
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

export const fillCacheOnWebGpu: WebGpuBody<FillCacheAttributes> = (
  gpu,
  inputs,
  { heads, kvHeads, headDim, length },
) => {
  const keys = input(inputs, 'keys');
  const sources = input(inputs, 'sources');
  const { type, size } = widestPiece(headDim);
  const width = (kvHeads * headDim) / size;
  launchItems(gpu, {
    key: `cache-fill-${type}`,
    items: (sources.shape[0] ?? 0) * length * width,
    reads: {
      [`qkv: ${type}`]: input(inputs, 'qkv'),
      'sources: i32': sources,
      'slots: i32': input(inputs, 'slots'),
      'lengths: i32': input(inputs, 'lengths'),
    },
    writes: { [`keys: ${type}`]: keys, [`values: ${type}`]: input(inputs, 'values') },
    uniforms: {
      width: u32(width),
      queryWidth: u32((heads * headDim) / size),
      length: u32(length),
      capacity: u32(keys.shape[1] ?? 0),
    },
    body: () => /* wgsl */ `
  let i = item % params.width;
  let position = item / params.width % params.length;
  let copy = item / params.width / params.length;
  let own = u32(lengths[copy]);
  if (position >= own || position + params.capacity < own) { return; }
  let row = u32(sources[copy]) * params.length + position;
  let source = row * (params.queryWidth + 2u * params.width) + params.queryWidth + i;
  let to = (u32(slots[copy]) * params.capacity + position % params.capacity) * params.width + i;
  keys[to] = qkv[source];
  values[to] = qkv[source + params.width];`,
  });
  return [];
};

export const forkCacheOnWebGpu: WebGpuBody<ForkCacheAttributes> = (gpu, inputs, { length }) => {
  const keys = input(inputs, 'keys');
  const from = input(inputs, 'from');
  const [, capacity = 0, width = 0] = keys.shape;
  const { type, size } = widestPiece(width);
  launchItems(gpu, {
    key: `cache-fork-${type}`,
    items: ((from.shape[0] ?? 0) * length * width) / size,
    reads: { 'sources: i32': from, 'copies: i32': input(inputs, 'to') },
    writes: { [`keys: ${type}`]: keys, [`values: ${type}`]: input(inputs, 'values') },
    uniforms: { copied: u32((length * width) / size), slotSize: u32((capacity * width) / size) },
    body: () => /* wgsl */ `
  let copy = item / params.copied;
  let i = item % params.copied;
  let source = u32(sources[copy]) * params.slotSize + i;
  let to = u32(copies[copy]) * params.slotSize + i;
  keys[to] = keys[source];
  values[to] = values[source];`,
  });
  return [];
};
