/** Memory of the device, and what travels to the generators. */
import { optionalMetric } from './metric.ts';

export const memoryBytes = optionalMetric({
  key: 'memoryBytes',
  names: ['memory/device_bytes'],
  label: 'Device memory',
  unit: 'bytes',
  formula: 'bytes that the trainer holds on the GPU (or in wasm) at the end of the step',
  value: (context) => context.memoryBytes,
});

export const handedOverBytes = optionalMetric({
  key: 'handedOverBytes',
  names: ['memory/handed_over_bytes'],
  label: 'Weights handed over',
  unit: 'bytes',
  formula: 'bytes of weights that each hand-over sends to a generator',
  value: (context) => context.handedOverBytes,
});
