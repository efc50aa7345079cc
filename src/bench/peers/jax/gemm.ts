import { blockUntilReady, jit, numpy as np } from '@jax-js/jax';
import { gemmInputs, thinned } from '../../participants/inputs.ts';
import { prepareOperation } from '../../participants/timing.ts';
import type { GemmWorkload, Prepared } from '../../types.ts';
import { floats, numbersOf } from './model.ts';

/** A jitted `np.matmul`, with the transposes inside the jit. */
export function prepareGemm(workload: GemmWorkload): Promise<Prepared> {
  const { layout } = workload;
  const { a, b } = gemmInputs(workload);
  const left = floats(a.data, a.shape);
  const right = floats(b.data, b.shape);
  const product = jit((x: np.Array, y: np.Array) =>
    np.matmul(layout === 'tn' ? x.transpose() : x, layout === 'nt' ? y.transpose() : y),
  );
  return prepareOperation({
    start: () => product(left.ref, right.ref),
    finish: async (results) => void (await blockUntilReady([...results])),
    free: (result) => result.dispose(),
    read: async (result) => thinned(await numbersOf(result.ref)),
    release: () => {
      left.dispose();
      right.dispose();
      product.dispose();
    },
  });
}
