import { f32, type GpuDispatcher } from '../../backend/dispatch.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';
import { launchItems } from '../launch.ts';
import type { AdamwAttributes } from './attributes.ts';

export function adamwOnWebGpu(gpu: GpuDispatcher, inputs: Inputs, attributes: AdamwAttributes): TensorInfo[] {
  const { learningRate, beta1, beta2, epsilon, weightDecay, gradientScale, correction1, correction2 } =
    attributes;
  const parameter = input(inputs, 'parameter');
  const [nextParameter, nextM, nextV] = [0, 1, 2].map(() =>
    gpu.allocate([...parameter.shape], 'float32'),
  ) as [TensorInfo, TensorInfo, TensorInfo];
  launchItems(gpu, {
    key: 'adamw',
    items: util.sizeFromShape(parameter.shape),
    reads: {
      'parameter: f32': parameter,
      'gradient: f32': input(inputs, 'gradient'),
      'm: f32': input(inputs, 'm'),
      'v: f32': input(inputs, 'v'),
    },
    writes: { 'nextParameter: f32': nextParameter, 'nextM: f32': nextM, 'nextV: f32': nextV },
    // 1 − β is taken in float64: in f32 the subtraction would lose five digits of 1 − 0.999.
    uniforms: {
      learningRate: f32(learningRate),
      beta1: f32(beta1),
      rest1: f32(1 - beta1),
      beta2: f32(beta2),
      rest2: f32(1 - beta2),
      epsilon: f32(epsilon),
      weightDecay: f32(weightDecay),
      gradientScale: f32(gradientScale),
      correction1: f32(correction1),
      correction2: f32(correction2),
    },
    body: () => /* wgsl */ `
  let g = gradient[item] * params.gradientScale;
  let first = params.beta1 * m[item] + params.rest1 * g;
  let second = params.beta2 * v[item] + params.rest2 * g * g;
  let theta = parameter[item];
  let step = first / params.correction1 / (sqrt(second / params.correction2) + params.epsilon);
  nextM[item] = first;
  nextV[item] = second;
  nextParameter[item] = theta - params.learningRate * (step + params.weightDecay * theta);`,
  });
  return [nextParameter, nextM, nextV];
}
