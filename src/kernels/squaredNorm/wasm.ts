import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';

export function squaredNormOnWasm(memory: HostMemory, inputs: Inputs): TensorInfo[] {
  const total = memory.allocate([1], 'float32');
  const values = memory.floats(input(inputs, 'x'));
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] as number) * (values[i] as number);
  memory.floats(total)[0] = sum;
  return [total];
}
