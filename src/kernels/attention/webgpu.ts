/**
 * One invocation for each query row of a head (forward, dq) or each key row of a key/value head (dk, dv). The row and its
 * sums live in named vectors; the sums run in the order of the positions, and no two invocations share one.
 */
import { f32, u32, type GpuDispatcher, type UniformWord } from '../../backend/dispatch.ts';
import { input, type CompositeContext, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';
import { rowVectors } from '../vectors.ts';
import type { AttentionAttributes } from './attributes.ts';
import { onlineSoftmax } from './onlineSoftmax.ts';

function uniformsOf({ length, heads, kvHeads, headDim }: AttentionAttributes): Record<string, UniformWord> {
  return {
    length: u32(length),
    heads: u32(heads),
    kvHeads: u32(kvHeads),
    scale: f32(1 / Math.sqrt(headDim)),
  };
}

/** Finds a query row: `position` and `head`, its vectors at `queryAt`, and those of the sequence's first key at `keyAt`. */
const queryRow = (pieces: number): string => /* wgsl */ `
  let t = item % params.length;
  let head = item / params.length % params.heads;
  let sequence = item / params.length / params.heads;
  let position = sequence * params.length + t;
  let queryAt = (position * params.heads + head) * ${pieces}u;
  let keyStride = params.kvHeads * ${pieces}u;
  let kvHead = head * params.kvHeads / params.heads;
  var keyAt = sequence * params.length * keyStride + kvHead * ${pieces}u;`;

/** Outputs o [B·T, heads·headDim] and the log-sum-exp of each query row [B·T, heads]. */
export function attentionOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: AttentionAttributes,
): TensorInfo[] {
  const { batch, length, heads, headDim } = attributes;
  const vectors = rowVectors(headDim);
  const { type, inner, each } = vectors;
  const output = gpu.allocate([batch * length, heads * headDim], 'float32');
  const logSumExp = gpu.allocate([batch * length, heads], 'float32');
  launchItems(gpu, {
    key: `attention-${headDim}`,
    items: batch * length * heads,
    reads: {
      [`q: ${type}`]: input(inputs, 'q'),
      [`k: ${type}`]: input(inputs, 'k'),
      [`v: ${type}`]: input(inputs, 'v'),
    },
    writes: { [`output: ${type}`]: output, 'logSumExp: f32': logSumExp },
    uniforms: uniformsOf(attributes),
    declarations: () => inner,
    body: () => /* wgsl */ `${queryRow(vectors.count)}
  let keyCount = t + 1u;
  ${onlineSoftmax(vectors)}
  ${each((i) => `output[queryAt + ${i}u] = o${i} / total;`)}
  logSumExp[position * params.heads + head] = highest + log(total);`,
  });
  return [output, logSumExp];
}

/** Outputs dq, dk and dv in the shapes of q, k and v. */
export function attentionGradientOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: AttentionAttributes,
  { dispose }: CompositeContext,
): TensorInfo[] {
  const { dq, rowDots } = queryGradient(gpu, inputs, attributes);
  const [dk, dv] = keyValueGradient(gpu, inputs, rowDots, attributes);
  dispose(rowDots);
  return [dq, dk, dv];
}

/** dq, and D = Σ do ⊙ o of each query row for the keys' turn. */
function queryGradient(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: AttentionAttributes,
): { dq: TensorInfo; rowDots: TensorInfo } {
  const { batch, length, heads, headDim } = attributes;
  const { type, count, inner, each, sum } = rowVectors(headDim);
  const dq = gpu.allocate([batch * length, heads * headDim], 'float32');
  const rowDots = gpu.allocate([batch * length, heads], 'float32');
  launchItems(gpu, {
    key: `attention-query-gradient-${headDim}`,
    items: batch * length * heads,
    reads: {
      [`q: ${type}`]: input(inputs, 'q'),
      [`k: ${type}`]: input(inputs, 'k'),
      [`v: ${type}`]: input(inputs, 'v'),
      [`output: ${type}`]: input(inputs, 'output'),
      'logSumExp: f32': input(inputs, 'logSumExp'),
      [`dy: ${type}`]: input(inputs, 'dy'),
    },
    writes: { [`dq: ${type}`]: dq, 'rowDots: f32': rowDots },
    uniforms: uniformsOf(attributes),
    declarations: () => inner,
    body: () => /* wgsl */ `${queryRow(count)}
  ${each((i) => `let q${i} = q[queryAt + ${i}u] * params.scale;`)}
  ${each((i) => `let dy${i} = dy[queryAt + ${i}u];`)}
  ${each((i) => `var dq${i} = ${type}();`)}
  let rowDot = ${sum((i) => `inner(dy${i}, output[queryAt + ${i}u])`)};
  let lse = logSumExp[position * params.heads + head];
  for (var j = 0u; j <= t; j++) {
    let p = exp(${sum((i) => `inner(q${i}, k[keyAt + ${i}u])`)} - lse);
    let dp = ${sum((i) => `inner(dy${i}, v[keyAt + ${i}u])`)};
    let ds = p * (dp - rowDot) * params.scale;
    ${each((i) => `dq${i} += k[keyAt + ${i}u] * ds;`)}
    keyAt += keyStride;
  }
  ${each((i) => `dq[queryAt + ${i}u] = dq${i};`)}
  rowDots[position * params.heads + head] = rowDot;`,
  });
  return { dq, rowDots };
}

/** A key row sums over the heads that it serves and, within each, over the positions from its own to the last. */
function keyValueGradient(
  gpu: GpuDispatcher,
  inputs: Inputs,
  rowDots: TensorInfo,
  attributes: AttentionAttributes,
): [dk: TensorInfo, dv: TensorInfo] {
  const { batch, length, kvHeads, headDim } = attributes;
  const { type, count, inner, each, sum } = rowVectors(headDim);
  const dk = gpu.allocate([batch * length, kvHeads * headDim], 'float32');
  const dv = gpu.allocate([batch * length, kvHeads * headDim], 'float32');
  launchItems(gpu, {
    key: `attention-key-value-gradient-${headDim}`,
    items: batch * length * kvHeads,
    reads: {
      [`q: ${type}`]: input(inputs, 'q'),
      [`k: ${type}`]: input(inputs, 'k'),
      [`v: ${type}`]: input(inputs, 'v'),
      'logSumExp: f32': input(inputs, 'logSumExp'),
      [`dy: ${type}`]: input(inputs, 'dy'),
      'rowDots: f32': rowDots,
    },
    writes: { [`dk: ${type}`]: dk, [`dv: ${type}`]: dv },
    uniforms: uniformsOf(attributes),
    declarations: () => inner,
    body: () => /* wgsl */ `
  let j = item % params.length;
  let kvHead = item / params.length % params.kvHeads;
  let sequence = item / params.length / params.kvHeads;
  let keyAt = ((sequence * params.length + j) * params.kvHeads + kvHead) * ${count}u;
  let served = params.heads / params.kvHeads;
  ${each((i) => `let k${i} = k[keyAt + ${i}u] * params.scale;`)}
  ${each((i) => `let v${i} = v[keyAt + ${i}u];`)}
  ${each((i) => `var dk${i} = ${type}();\nvar dv${i} = ${type}();`)}
  for (var head = kvHead * served; head < (kvHead + 1u) * served; head++) {
    for (var t = j; t < params.length; t++) {
      let row = (sequence * params.length + t) * params.heads + head;
      let queryAt = row * ${count}u;
      let p = exp(${sum((i) => `inner(q[queryAt + ${i}u], k${i})`)} - logSumExp[row]);
      let dp = ${sum((i) => `inner(dy[queryAt + ${i}u], v${i})`)};
      let ds = p * (dp - rowDots[row]) * params.scale;
      ${each((i) => `dv${i} += dy[queryAt + ${i}u] * p;\ndk${i} += q[queryAt + ${i}u] * ds;`)}
    }
  }
  ${each((i) => `dk[keyAt + ${i}u] = dk${i};\ndv[keyAt + ${i}u] = dv${i};`)}`,
  });
  return [dk, dv];
}
