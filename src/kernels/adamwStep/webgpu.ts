import { f32, u32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';
import { widestPiece } from '../vectors.ts';
import type { AdamwStepAttributes } from './attributes.ts';

const DECAY = {
  vec4f:
    'select(vec4f(), vec4f(params.weightDecay), 4u * item + vec4u(0u, 1u, 2u, 3u) < vec4u(params.decayedLength))',
  vec2f:
    'select(vec2f(), vec2f(params.weightDecay), 2u * item + vec2u(0u, 1u) < vec2u(params.decayedLength))',
  f32: 'select(0.0, params.weightDecay, item < params.decayedLength)',
};

export function adamwStepOnWebGpu(
  gpu: GpuDispatcher,
  inputs: Inputs,
  attributes: AdamwStepAttributes,
): TensorInfo[] {
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
    // Whether a number is finite shows in its bits alone: WGSL may assume that no other occurs.
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
}
