/**
 * One invocation for each query row of a head (forward, dq) or each key row of a key/value head (dk, dv). The row and its
 * sums live in named vectors; the sums run in the order of the positions, and no two invocations share one.
 */
import { f32, u32, type GpuDispatcher, type UniformWord } from '../../backend/dispatch.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';
import { rowVectors } from '../vectors.ts';
import type { SelfAttentionAttributes } from './attributes.ts';

function uniformsOf({
  length,
  heads,
  kvHeads,
  headDim,
}: SelfAttentionAttributes): Record<string, UniformWord> {
  return {
    length: u32(length),
    heads: u32(heads),
    kvHeads: u32(kvHeads),
    scale: f32(1 / Math.sqrt(headDim)),
  };
}

/**
 * Finds a query row: `position` and `head`, its vectors at `queryAt` of q | k | v and `mixedAt` of the mixed values, and
 * those of the sequence's first key at `keyAt`; a key's value lies `toValue` behind it.
 */
const queryRow = (pieces: number): string => /* wgsl */ `
  let t = item % params.length;
  let head = item / params.length % params.heads;
  let sequence = item / params.length / params.heads;
  let position = sequence * params.length + t;
  let keyStride = (params.heads + 2u * params.kvHeads) * ${pieces}u;
  let toValue = params.kvHeads * ${pieces}u;
  let queryAt = position * keyStride + head * ${pieces}u;
  let mixedAt = (position * params.heads + head) * ${pieces}u;
  let kvHead = head * params.kvHeads / params.heads;
  var keyAt = sequence * params.length * keyStride + (params.heads + kvHead) * ${pieces}u;`;

/** Outputs the mixed values [B·T, heads·headDim] and the log-sum-exp of each query row [B·T, heads]. */
export function selfAttentionOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: SelfAttentionAttributes,
): TensorInfo[] {
  const { batch, length, heads, headDim } = attributes;
  const { type, count, inner, each, sum } = rowVectors(headDim);
  const mixed = gpu.allocate([batch * length, heads * headDim], 'float32');
  const logSumExp = gpu.allocate([batch * length, heads], 'float32');
  const score = sum((i) => `inner(q${i}, qkv[keyAt + ${i}u])`);
  launchItems(gpu, {
    key: `self-attention-${headDim}`,
    items: batch * length * heads,
    reads: { [`qkv: ${type}`]: input(inputs, 'qkv') },
    writes: { [`mixed: ${type}`]: mixed, 'logSumExp: f32': logSumExp },
    uniforms: uniformsOf(attributes),
    work: batch * length * length * heads * headDim,
    declarations: () => inner,
    // The first key starts the sums, so no infinity is needed.
    body: () => /* wgsl */ `${queryRow(count)}
  ${each((i) => `let q${i} = qkv[queryAt + ${i}u] * params.scale;`)}
  ${each((i) => `var o${i} = qkv[keyAt + toValue + ${i}u];`)}
  var highest = ${score};
  var total = 1.0;
  for (var j = 1u; j <= t; j++) {
    keyAt += keyStride;
    let score = ${score};
    let next = max(highest, score);
    let keep = exp(highest - next);
    let weight = exp(score - next);
    highest = next;
    total = total * keep + weight;
    ${each((i) => `o${i} = o${i} * keep + qkv[keyAt + toValue + ${i}u] * weight;`)}
  }
  ${each((i) => `mixed[mixedAt + ${i}u] = o${i} / total;`)}
  logSumExp[position * params.heads + head] = highest + log(total);`,
  });
  return [mixed, logSumExp];
}

/** Output d qkv: the first kernel writes its columns of q, the second those of k and v. */
export function selfAttentionGradientOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: SelfAttentionAttributes,
  { dispose }: CompositeContext,
): TensorInfo[] {
  const { batch, length, heads } = attributes;
  const dqkv = gpu.allocate([...input(inputs, 'qkv').shape], 'float32');
  const rowDots = gpu.allocate([batch * length, heads], 'float32');
  queryGradient(gpu, inputs, dqkv, rowDots, attributes);
  keyValueGradient(gpu, inputs, dqkv, rowDots, attributes);
  dispose(rowDots);
  return [dqkv];
}

/** dq, and D = Σ do ⊙ o of each query row for the keys' turn. */
function queryGradient(
  gpu: GpuDispatcher,
  inputs: Inputs,
  dqkv: TensorInfo,
  rowDots: TensorInfo,
  attributes: SelfAttentionAttributes,
): void {
  const { batch, length, heads, headDim } = attributes;
  const { type, count, inner, each, sum } = rowVectors(headDim);
  launchItems(gpu, {
    key: `self-attention-query-gradient-${headDim}`,
    items: batch * length * heads,
    reads: {
      [`qkv: ${type}`]: input(inputs, 'qkv'),
      [`mixed: ${type}`]: input(inputs, 'mixed'),
      'logSumExp: f32': input(inputs, 'logSumExp'),
      [`dy: ${type}`]: input(inputs, 'dy'),
    },
    writes: { [`dqkv: ${type}`]: dqkv, 'rowDots: f32': rowDots },
    uniforms: uniformsOf(attributes),
    work: 1.5 * batch * length * length * heads * headDim,
    declarations: () => inner,
    body: () => /* wgsl */ `${queryRow(count)}
  ${each((i) => `let q${i} = qkv[queryAt + ${i}u] * params.scale;`)}
  ${each((i) => `let dy${i} = dy[mixedAt + ${i}u];`)}
  ${each((i) => `var dq${i} = ${type}();`)}
  let rowDot = ${sum((i) => `inner(dy${i}, mixed[mixedAt + ${i}u])`)};
  let lse = logSumExp[position * params.heads + head];
  for (var j = 0u; j <= t; j++) {
    let p = exp(${sum((i) => `inner(q${i}, qkv[keyAt + ${i}u])`)} - lse);
    let dp = ${sum((i) => `inner(dy${i}, qkv[keyAt + toValue + ${i}u])`)};
    let ds = p * (dp - rowDot) * params.scale;
    ${each((i) => `dq${i} += qkv[keyAt + ${i}u] * ds;`)}
    keyAt += keyStride;
  }
  ${each((i) => `dqkv[queryAt + ${i}u] = dq${i};`)}
  rowDots[position * params.heads + head] = rowDot;`,
  });
}

/** A key row sums over the heads that it serves and, within each, over the positions from its own to the last. */
function keyValueGradient(
  gpu: GpuDispatcher,
  inputs: Inputs,
  dqkv: TensorInfo,
  rowDots: TensorInfo,
  attributes: SelfAttentionAttributes,
): void {
  const { batch, length, heads, kvHeads, headDim } = attributes;
  const { type, count, inner, each, sum } = rowVectors(headDim);
  launchItems(gpu, {
    key: `self-attention-key-value-gradient-${headDim}`,
    items: batch * length * kvHeads,
    reads: {
      [`qkv: ${type}`]: input(inputs, 'qkv'),
      'logSumExp: f32': input(inputs, 'logSumExp'),
      [`dy: ${type}`]: input(inputs, 'dy'),
      'rowDots: f32': rowDots,
    },
    writes: { [`dqkv: ${type}`]: dqkv },
    uniforms: uniformsOf(attributes),
    work: 2 * batch * length * length * heads * headDim,
    declarations: () => inner,
    body: () => /* wgsl */ `
  let j = item % params.length;
  let kvHead = item / params.length % params.kvHeads;
  let sequence = item / params.length / params.kvHeads;
  let stride = (params.heads + 2u * params.kvHeads) * ${count}u;
  let keyAt = (sequence * params.length + j) * stride + (params.heads + kvHead) * ${count}u;
  let valueAt = keyAt + params.kvHeads * ${count}u;
  let served = params.heads / params.kvHeads;
  ${each((i) => `let k${i} = qkv[keyAt + ${i}u] * params.scale;`)}
  ${each((i) => `let v${i} = qkv[valueAt + ${i}u];`)}
  ${each((i) => `var dk${i} = ${type}();\nvar dv${i} = ${type}();`)}
  for (var head = kvHead * served; head < (kvHead + 1u) * served; head++) {
    for (var t = j; t < params.length; t++) {
      let position = sequence * params.length + t;
      let row = position * params.heads + head;
      let queryAt = position * stride + head * ${count}u;
      let mixedAt = row * ${count}u;
      let p = exp(${sum((i) => `inner(qkv[queryAt + ${i}u], k${i})`)} - logSumExp[row]);
      let dp = ${sum((i) => `inner(dy[mixedAt + ${i}u], v${i})`)};
      let ds = p * (dp - rowDots[row]) * params.scale;
      ${each((i) => `dv${i} += dy[mixedAt + ${i}u] * p;\ndk${i} += qkv[queryAt + ${i}u] * ds;`)}
    }
  }
  ${each((i) => `dqkv[keyAt + ${i}u] = dk${i};\ndqkv[valueAt + ${i}u] = dv${i};`)}`,
  });
}
