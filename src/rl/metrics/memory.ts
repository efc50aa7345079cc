/** Memory of the GPU, and what travels to the generators. */
import { optionalMetric } from './metric.ts';

export const memoryBytes = optionalMetric({
  key: 'memoryBytes',
  names: ['memory/gpu_bytes'],
  label: 'GPU memory',
  unit: 'bytes',
  formula: 'bytes that the trainer has allocated on the GPU at the end of the step; null on the CPU',
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
