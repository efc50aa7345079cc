import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import { util, type TensorInfo } from '../../backend/tf.ts';
import type { AdamwStepAttributes } from './attributes.ts';

/** Elements that one thread takes at least; a multiple of four, so that the same elements share a vector on any number of threads. */
const GRAIN = 8192;

export function adamwStepOnWasm(
  memory: HostMemory,
  inputs: Inputs,
  attributes: AdamwStepAttributes,
): TensorInfo[] {
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
    memory.pointer(input(inputs, 'm')),
    memory.pointer(input(inputs, 'v')),
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
}
