import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { AttentionAttributes } from './attributes.ts';

/** Outputs o [B·T, heads·headDim] and the log-sum-exp of each query row [B·T, heads]. */
export function attentionOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  attributes: AttentionAttributes,
): TensorInfo[] {
  const { batch, length, heads, kvHeads, headDim } = attributes;
  const width = heads * headDim;
  const kvWidth = kvHeads * headDim;
  const output = memory.allocate([batch * length, width], 'float32');
  const logSumExp = memory.allocate([batch * length, heads], 'float32');
  const q = memory.floats(input(inputs, 'q'));
  const k = memory.floats(input(inputs, 'k'));
  const v = memory.floats(input(inputs, 'v'));
  const out = memory.floats(output).fill(0);
  const lse = memory.floats(logSumExp);
  const scale = 1 / Math.sqrt(headDim);
  const weights = new Float64Array(length);
  for (let b = 0; b < batch; b++) {
    for (let head = 0; head < heads; head++) {
      const kvHead = Math.floor((head * kvHeads) / heads);
      const kvBase = b * length * kvWidth + kvHead * headDim;
      for (let t = 0; t < length; t++) {
        const row = (b * length + t) * width + head * headDim;
        lse[(b * length + t) * heads + head] = attendRow(
          q,
          row,
          k,
          v,
          kvBase,
          kvWidth,
          t + 1,
          headDim,
          scale,
          weights,
          out,
          row,
        );
      }
    }
  }
  return [output, logSumExp];
}

/**
 * One query row over `count` keys: writes o at `outBase` (which must hold zeros) and returns log Σ exp(s).
 * Key j of the row starts at kvBase + j·kvStride.
 */
export function attendRow(
  q: Float32Array,
  qBase: number,
  k: Float32Array,
  v: Float32Array,
  kvBase: number,
  kvStride: number,
  count: number,
  headDim: number,
  scale: number,
  weights: Float64Array,
  out: Float32Array,
  outBase: number,
): number {
  let max = -Infinity;
  for (let j = 0; j < count; j++) {
    const score = dot(q, qBase, k, kvBase + j * kvStride, headDim) * scale;
    weights[j] = score;
    if (score > max) max = score;
  }
  let sum = 0;
  for (let j = 0; j < count; j++) {
    const weight = Math.exp((weights[j] as number) - max);
    weights[j] = weight;
    sum += weight;
  }
  for (let j = 0; j < count; j++)
    addScaled(out, outBase, v, kvBase + j * kvStride, headDim, (weights[j] as number) / sum);
  return max + Math.log(sum);
}

/** Outputs dq, dk and dv in the shapes of q, k and v. */
export function attentionGradientOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  attributes: AttentionAttributes,
): TensorInfo[] {
  const { batch, length, heads, kvHeads, headDim } = attributes;
  const width = heads * headDim;
  const kvWidth = kvHeads * headDim;
  const shapes: [number, number][] = [
    [batch * length, width],
    [batch * length, kvWidth],
    [batch * length, kvWidth],
  ];
  const outputs = shapes.map((shape) => memory.allocate(shape, 'float32'));
  const [dq, dk, dv] = outputs.map((tensor) => memory.floats(tensor).fill(0)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const q = memory.floats(input(inputs, 'q'));
  const k = memory.floats(input(inputs, 'k'));
  const v = memory.floats(input(inputs, 'v'));
  const out = memory.floats(input(inputs, 'output'));
  const lse = memory.floats(input(inputs, 'logSumExp'));
  const dout = memory.floats(input(inputs, 'dy'));
  const scale = 1 / Math.sqrt(headDim);
  for (let b = 0; b < batch; b++) {
    for (let head = 0; head < heads; head++) {
      const kvHead = Math.floor((head * kvHeads) / heads);
      const kvBase = b * length * kvWidth + kvHead * headDim;
      for (let t = 0; t < length; t++) {
        const position = b * length + t;
        const row = position * width + head * headDim;
        const rowLse = lse[position * heads + head] as number;
        const rowDot = dot(dout, row, out, row, headDim);
        for (let j = 0; j <= t; j++) {
          const key = kvBase + j * kvWidth;
          const probability = Math.exp(dot(q, row, k, key, headDim) * scale - rowLse);
          const dscore = probability * (dot(dout, row, v, key, headDim) - rowDot) * scale;
          addScaled(dv, key, dout, row, headDim, probability);
          addScaled(dq, row, k, key, headDim, dscore);
          addScaled(dk, key, q, row, headDim, dscore);
        }
      }
    }
  }
  return outputs;
}

/** Four partial sums hide the latency of the adder; their order is fixed. */
function dot(a: Float32Array, aBase: number, b: Float32Array, bBase: number, length: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    s0 += (a[aBase + i] as number) * (b[bBase + i] as number);
    s1 += (a[aBase + i + 1] as number) * (b[bBase + i + 1] as number);
    s2 += (a[aBase + i + 2] as number) * (b[bBase + i + 2] as number);
    s3 += (a[aBase + i + 3] as number) * (b[bBase + i + 3] as number);
  }
  for (; i < length; i++) s0 += (a[aBase + i] as number) * (b[bBase + i] as number);
  return s0 + s1 + (s2 + s3);
}

function addScaled(
  to: Float32Array,
  toBase: number,
  from: Float32Array,
  fromBase: number,
  length: number,
  factor: number,
): void {
  for (let i = 0; i < length; i++) {
    to[toBase + i] = (to[toBase + i] as number) + factor * (from[fromBase + i] as number);
  }
}
