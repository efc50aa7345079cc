import * as tf from '../../backend/tf.ts';
import { gemm } from '../../kernels/index.ts';
import { gemmInputs, thinned } from '../participants/inputs.ts';
import { prepareOperation } from '../participants/timing.ts';
import type { GemmWorkload, Prepared } from '../types.ts';
import { finish } from './device.ts';

export function prepareGemm(workload: GemmWorkload): Promise<Prepared> {
  const { a, b } = gemmInputs(workload);
  const left = tf.tensor2d(a.data, a.shape);
  const right = tf.tensor2d(b.data, b.shape);
  return prepareOperation({
    start: () => gemm(left, right, workload.layout),
    finish,
    free: (product) => product.dispose(),
    read: async (product) => thinned(await product.data<'float32'>()),
    release: () => tf.dispose([left, right]),
  });
}
