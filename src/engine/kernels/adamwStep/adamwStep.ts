/**
 * One AdamW update (Loshchilov & Hutter 2019) of a whole pool of parameters, in place, state in f32:
 * g ← s·c·g,  m ← β1·m + (1 − β1)·g,  v ← β2·v + (1 − β2)·g²,
 * θ ← θ − η·(m̂ / (√v̂ + ε) + λ·θ),  m̂ = m / (1 − β1^t),  v̂ = v / (1 − β2^t).
 * c scales the summed gradients, and s = min(1, clipNorm / ‖c·g‖) clips them. s is computed from Σ g² on the device, so nothing waits for a
 * readback. If Σ g² is not finite, parameters and moments do not change. The gradient is zero afterwards, ready for the next step.
 */
import type * as tf from '../../backend/tf.ts';
import { util } from '../../backend/tf.ts';
import { registerOp, runInPlace, input, pointers } from '../../backend/kernelRegistry.ts';
import { f32, u32 } from '../../backend/dispatch.ts';
import { launchItems } from '../shared/launch.ts';
import { widestPiece } from '../shared/vectors.ts';

export interface AdamwStepAttributes {
  /** The factor on the gradients before their norm is taken, above 0; 1 by default. */
  readonly gradientScale?: number;
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** The number of elements, from the start of the pool, that weight decay acts on. */
  readonly decayedLength: number;
  /** The largest allowed global L2 norm of the gradient; 0 clips nothing. */
  readonly clipNorm: number;
  /** 1 − β1^t and 1 − β2^t, in float64 on the host. */
  readonly correction1: number;
  readonly correction2: number;
}

/** `parameters`, `gradients`, `m`, `v` of one length; `squaredNorm` [1] holds Σ gradients². */
export function adamwStep(
  pools: {
    parameters: tf.Tensor;
    gradients: tf.Tensor;
    m: tf.Tensor;
    v: tf.Tensor;
    squaredNorm: tf.Tensor;
  },
  attributes: AdamwStepAttributes,
): void {
  runInPlace('RlAdamwStep', pools, { ...attributes });
}

/** The least elements of one thread, a multiple of four, so that the same elements share a vector on any number of threads. */
const GRAIN = 8192;

const DECAY = {
  vec4f:
    'select(vec4f(), vec4f(params.weightDecay), 4u * item + vec4u(0u, 1u, 2u, 3u) < vec4u(params.decayedLength))',
  vec2f:
    'select(vec2f(), vec2f(params.weightDecay), 2u * item + vec2u(0u, 1u) < vec2u(params.decayedLength))',
  f32: 'select(0.0, params.weightDecay, item < params.decayedLength)',
};

registerOp<AdamwStepAttributes>({
  name: 'RlAdamwStep',
  wasm(memory, inputs, attributes) {
    const parameters = input(inputs, 'parameters');
    const gradients = memory.pointer(input(inputs, 'gradients'));
    const length = util.sizeFromShape(parameters.shape);
    const [square = NaN] = memory.floats(input(inputs, 'squaredNorm'));
    if (!Number.isFinite(square)) {
      memory.call('fill', 0, length, gradients, 0);
      return [];
    }
    const { learningRate, beta1, beta2, epsilon, weightDecay, decayedLength, clipNorm } = attributes;
    const { gradientScale = 1 } = attributes;
    const norm = gradientScale * Math.sqrt(square);
    memory.parallel(
      'adamwStep',
      length,
      GRAIN,
      memory.pointer(parameters),
      gradients,
      ...pointers(memory, inputs, 'm', 'v'),
      learningRate,
      beta1,
      // 1 − β is taken in float64: in f32 the subtraction would lose five digits of 1 − 0.999.
      1 - beta1,
      beta2,
      1 - beta2,
      epsilon,
      weightDecay,
      decayedLength,
      gradientScale * (clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1),
      attributes.correction1,
      attributes.correction2,
    );
    return [];
  },
  webgpu(gpu, inputs, attributes) {
    const { learningRate, beta1, beta2, epsilon, weightDecay, decayedLength } = attributes;
    const { gradientScale = 1, clipNorm, correction1, correction2 } = attributes;
    const parameters = input(inputs, 'parameters');
    const length = util.sizeFromShape(parameters.shape);
    const { type, size } = widestPiece(length);
    launchItems(gpu, {
      key: `adamw-step-${type}`,
      items: length / size,
      reads: { 'squaredNorm: f32': input(inputs, 'squaredNorm') },
      writes: {
        [`parameters: ${type}`]: parameters,
        [`gradients: ${type}`]: input(inputs, 'gradients'),
        [`m: ${type}`]: input(inputs, 'm'),
        [`v: ${type}`]: input(inputs, 'v'),
      },
      // 1 − β is taken in float64: in f32 the subtraction would lose five digits of 1 − 0.999.
      uniforms: {
        gradientScale: f32(gradientScale),
        learningRate: f32(learningRate),
        beta1: f32(beta1),
        rest1: f32(1 - beta1),
        beta2: f32(beta2),
        rest2: f32(1 - beta2),
        epsilon: f32(epsilon),
        weightDecay: f32(weightDecay),
        decayedLength: u32(decayedLength),
        clipNorm: f32(clipNorm),
        correction1: f32(correction1),
        correction2: f32(correction2),
      },
      // The test for finite numbers reads their bits: WGSL may assume that no other numbers occur.
      body: () => /* wgsl */ `
  let gradient = gradients[item];
  gradients[item] = ${type}();
  let square = squaredNorm[0];
  if ((bitcast<u32>(square) & 0x7f800000u) == 0x7f800000u) { return; }
  let norm = params.gradientScale * sqrt(square);
  let clip = select(1.0, params.clipNorm / norm, params.clipNorm > 0.0 && norm > params.clipNorm);
  let g = gradient * (params.gradientScale * clip);
  let first = params.beta1 * m[item] + params.rest1 * g;
  let second = params.beta2 * v[item] + params.rest2 * g * g;
  let theta = parameters[item];
  let step = first / params.correction1 / (sqrt(second / params.correction2) + params.epsilon);
  m[item] = first;
  v[item] = second;
  parameters[item] = theta - params.learningRate * (step + ${DECAY[type]} * theta);`,
    });
    return [];
  },
});
