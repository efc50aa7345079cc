import type { HostMemory } from '../../backend/host.ts';
import { input, type Inputs } from '../../backend/kernelRegistry.ts';
import type { TensorInfo } from '../../backend/tf.ts';

export function swigluOnWasm(memory: HostMemory, inputs: Inputs): TensorInfo[] {
  const gate = input(inputs, 'gate');
  const y = memory.allocate([...gate.shape], 'float32');
  const gates = memory.floats(gate);
  const ups = memory.floats(input(inputs, 'up'));
  const ys = memory.floats(y);
  for (let i = 0; i < ys.length; i++) {
    const z = gates[i] as number;
    ys[i] = (z / (1 + Math.exp(-z))) * (ups[i] as number);
  }
  return [y];
}

/** Outputs d gate and d up, both [N, F]. */
export function swigluGradientOnWasm(memory: HostMemory, inputs: Inputs): TensorInfo[] {
  const gate = input(inputs, 'gate');
  const dgate = memory.allocate([...gate.shape], 'float32');
  const dup = memory.allocate([...gate.shape], 'float32');
  const gates = memory.floats(gate);
  const ups = memory.floats(input(inputs, 'up'));
  const dys = memory.floats(input(inputs, 'dy'));
  const dgates = memory.floats(dgate);
  const dups = memory.floats(dup);
  for (let i = 0; i < dgates.length; i++) {
    const z = gates[i] as number;
    const dy = dys[i] as number;
    const sigmoid = 1 / (1 + Math.exp(-z));
    dgates[i] = dy * (ups[i] as number) * sigmoid * (1 + z * (1 - sigmoid));
    dups[i] = dy * z * sigmoid;
  }
  return [dgate, dup];
}
