import * as tf from '../../../backend/tf.ts';
import { gemmInputs, thinned } from '../../participants/inputs.ts';
import { prepareOperation } from '../../participants/timing.ts';
import type { GemmWorkload, Prepared } from '../../types.ts';
import type { StockBackend } from './backend.ts';

/** `tf.matMul` with its transpose arguments. */
export function prepareGemm(workload: GemmWorkload, stock: StockBackend): Promise<Prepared> {
  const { layout } = workload;
  const { a, b } = gemmInputs(workload);
  const left = tf.tensor2d(a.data, a.shape);
  const right = tf.tensor2d(b.data, b.shape);
  return prepareOperation({
    start: () => tf.matMul(left, right, layout === 'tn', layout === 'nt'),
    finish: () => stock.finish(),
    free: (product) => product.dispose(),
    read: async (product) => thinned(await product.data<'float32'>()),
    release: () => tf.dispose([left, right]),
  });
}
