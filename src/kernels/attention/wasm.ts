import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { AttentionAttributes } from './attributes.ts';
import { dot, gatherHead, LANES, paddedHeadDim, scatterAddHead } from './headScratch.ts';

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
  const padded = paddedHeadDim(headDim);
  const size = length * padded;
  const [qs, ks, vs, os] = [zeros(size), zeros(size), zeros(size), zeros(size)];
  const weights = new Float64Array(length);
  for (let b = 0; b < batch; b++) {
    for (let head = 0; head < heads; head++) {
      const at = b * length * width + head * headDim;
      const kvAt = b * length * kvWidth + Math.floor((head * kvHeads) / heads) * headDim;
      gatherHead(q, at, width, attributes, qs, 1 / Math.sqrt(headDim));
      gatherHead(k, kvAt, kvWidth, attributes, ks);
      gatherHead(v, kvAt, kvWidth, attributes, vs);
      for (let t = 0; t < length; t++) {
        lse[(b * length + t) * heads + head] = attendPosition(qs, ks, vs, t, padded, weights, os);
      }
      scatterAddHead(os, out, at, width, attributes);
    }
  }
  return [output, logSumExp];
}

/** Row t of one head: writes its output to `os` and returns log Σ exp(s). */
function attendPosition(
  qs: Float64Array,
  ks: Float64Array,
  vs: Float64Array,
  t: number,
  padded: number,
  weights: Float64Array,
  os: Float64Array,
): number {
  let max = -Infinity;
  for (let j = 0; j <= t; j++) {
    const score = dot(qs, t * padded, ks, j * padded, padded);
    weights[j] = score;
    if (score > max) max = score;
  }
  let sum = 0;
  for (let j = 0; j <= t; j++) {
    const weight = Math.exp((weights[j] as number) - max);
    weights[j] = weight;
    sum += weight;
  }
  for (let i = 0; i < padded; i += LANES) {
    let o0 = 0;
    let o1 = 0;
    let o2 = 0;
    let o3 = 0;
    for (let j = 0, at = i; j <= t; j++, at += padded) {
      const weight = weights[j] as number;
      o0 += weight * (vs[at] as number);
      o1 += weight * (vs[at + 1] as number);
      o2 += weight * (vs[at + 2] as number);
      o3 += weight * (vs[at + 3] as number);
    }
    os[t * padded + i] = o0 / sum;
    os[t * padded + i + 1] = o1 / sum;
    os[t * padded + i + 2] = o2 / sum;
    os[t * padded + i + 3] = o3 / sum;
  }
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
  const outputs = [width, kvWidth, kvWidth].map((columns) =>
    memory.allocate([batch * length, columns], 'float32'),
  );
  const [dq, dk, dv] = outputs.map((tensor) => memory.floats(tensor).fill(0)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const q = memory.floats(input(inputs, 'q'));
  const k = memory.floats(input(inputs, 'k'));
  const v = memory.floats(input(inputs, 'v'));
  const out = memory.floats(input(inputs, 'output'));
  const dout = memory.floats(input(inputs, 'dy'));
  const lse = memory.floats(input(inputs, 'logSumExp'));
  const padded = paddedHeadDim(headDim);
  const size = length * padded;
  const [qs, ks, vs, os, dos] = [zeros(size), zeros(size), zeros(size), zeros(size), zeros(size)];
  const [dqs, dks, dvs] = [zeros(size), zeros(size), zeros(size)];
  const rows: HeadRows = { qs, ks, vs, dos, dqs, dks, dvs };
  const scale = 1 / Math.sqrt(headDim);
  const probabilities = new Float64Array(length);
  const dscores = new Float64Array(length);
  for (let b = 0; b < batch; b++) {
    for (let head = 0; head < heads; head++) {
      const at = b * length * width + head * headDim;
      const kvAt = b * length * kvWidth + Math.floor((head * kvHeads) / heads) * headDim;
      gatherHead(q, at, width, attributes, qs, scale);
      gatherHead(k, kvAt, kvWidth, attributes, ks);
      gatherHead(v, kvAt, kvWidth, attributes, vs);
      gatherHead(out, at, width, attributes, os);
      gatherHead(dout, at, width, attributes, dos);
      dks.fill(0);
      dvs.fill(0);
      for (let t = 0; t < length; t++) {
        const rowLse = lse[(b * length + t) * heads + head] as number;
        const rowDot = dot(dos, t * padded, os, t * padded, padded);
        for (let j = 0; j <= t; j++) {
          const probability = Math.exp(dot(qs, t * padded, ks, j * padded, padded) - rowLse);
          probabilities[j] = probability;
          dscores[j] = probability * (dot(dos, t * padded, vs, j * padded, padded) - rowDot);
        }
        gradientOfPosition(rows, t, padded, probabilities, dscores, scale);
      }
      scatterAddHead(dqs, dq, at, width, attributes);
      scatterAddHead(dks, dk, kvAt, kvWidth, attributes);
      scatterAddHead(dvs, dv, kvAt, kvWidth, attributes);
    }
  }
  return outputs;
}

interface HeadRows {
  /** Queries already times the scale. */
  readonly qs: Float64Array;
  readonly ks: Float64Array;
  readonly vs: Float64Array;
  readonly dos: Float64Array;
  readonly dqs: Float64Array;
  readonly dks: Float64Array;
  readonly dvs: Float64Array;
}

/** Row t's share of dk and dv, and all of its dq. */
function gradientOfPosition(
  { qs, ks, dos, dqs, dks, dvs }: HeadRows,
  t: number,
  padded: number,
  probabilities: Float64Array,
  dscores: Float64Array,
  scale: number,
): void {
  for (let i = 0; i < padded; i += LANES) {
    const row = t * padded + i;
    const q0 = qs[row] as number;
    const q1 = qs[row + 1] as number;
    const q2 = qs[row + 2] as number;
    const q3 = qs[row + 3] as number;
    const do0 = dos[row] as number;
    const do1 = dos[row + 1] as number;
    const do2 = dos[row + 2] as number;
    const do3 = dos[row + 3] as number;
    let dq0 = 0;
    let dq1 = 0;
    let dq2 = 0;
    let dq3 = 0;
    for (let j = 0, at = i; j <= t; j++, at += padded) {
      const p = probabilities[j] as number;
      const ds = dscores[j] as number;
      dq0 += ds * (ks[at] as number);
      dq1 += ds * (ks[at + 1] as number);
      dq2 += ds * (ks[at + 2] as number);
      dq3 += ds * (ks[at + 3] as number);
      dks[at] = (dks[at] as number) + ds * q0;
      dks[at + 1] = (dks[at + 1] as number) + ds * q1;
      dks[at + 2] = (dks[at + 2] as number) + ds * q2;
      dks[at + 3] = (dks[at + 3] as number) + ds * q3;
      dvs[at] = (dvs[at] as number) + p * do0;
      dvs[at + 1] = (dvs[at + 1] as number) + p * do1;
      dvs[at + 2] = (dvs[at + 2] as number) + p * do2;
      dvs[at + 3] = (dvs[at + 3] as number) + p * do3;
    }
    dqs[row] = dq0 * scale;
    dqs[row + 1] = dq1 * scale;
    dqs[row + 2] = dq2 * scale;
    dqs[row + 3] = dq3 * scale;
  }
}

function zeros(size: number): Float64Array {
  return new Float64Array(size);
}
