import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';
import type { AdamwAttributes } from './attributes.ts';

export function adamwOnWasm(memory: HostMemory, inputs: Inputs, attributes: AdamwAttributes): TensorInfo[] {
  const { learningRate, beta1, beta2, epsilon, weightDecay, gradientScale, correction1, correction2 } =
    attributes;
  const parameter = input(inputs, 'parameter');
  const outputs = [0, 1, 2].map(() => memory.allocate([...parameter.shape], 'float32'));
  const [nextParameter, nextM, nextV] = outputs.map((tensor) => memory.floats(tensor)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const parameters = memory.floats(parameter);
  const gradients = memory.floats(input(inputs, 'gradient'));
  const ms = memory.floats(input(inputs, 'm'));
  const vs = memory.floats(input(inputs, 'v'));
  for (let i = 0; i < parameters.length; i++) {
    const gradient = (gradients[i] as number) * gradientScale;
    const m = beta1 * (ms[i] as number) + (1 - beta1) * gradient;
    const v = beta2 * (vs[i] as number) + (1 - beta2) * gradient * gradient;
    const theta = parameters[i] as number;
    nextM[i] = m;
    nextV[i] = v;
    nextParameter[i] =
      theta - learningRate * (m / correction1 / (Math.sqrt(v / correction2) + epsilon) + weightDecay * theta);
  }
  return outputs;
}
