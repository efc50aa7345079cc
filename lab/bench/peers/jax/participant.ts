/** The same work in jax-js, jitted. */
import { defaultDevice, init, blockUntilReady, jit, numpy as np } from '@jax-js/jax';
import { hostModel } from '../../participants/model.ts';
import type { Environment, OpenFiles, Participant, GemmWorkload, Prepared } from '../../types.ts';
import { preparePass } from './pass.ts';
import { prepareTraining } from './train.ts';
import { gemmInputs, thinned } from '../../participants/inputs.ts';
import { prepareOperation } from '../../participants/timing.ts';
import { floats, numbersOf } from './model.ts';

export async function createJax({ backend }: Environment, openFiles: OpenFiles): Promise<Participant> {
  const devices = await init(backend);
  if (!devices.includes(backend)) throw new Error(`jax-js has no ${backend} device here.`);
  defaultDevice(backend);
  return {
    adapter: `jax-js ${backend}`,
    async prepare(workload) {
      const { kind } = workload;
      if (kind === 'gemm') return prepareGemm(workload);
      if (kind === 'train') return prepareTraining(workload, await hostModel(workload.model, openFiles));
      if (kind === 'pass') return preparePass(workload, await hostModel(workload.model, openFiles));
      throw new Error(`The jax-js peer does not run "${kind}".`);
    },
  };
}

/** A jitted `np.matmul`, with the transposes inside the jit. */
function prepareGemm(workload: GemmWorkload): Promise<Prepared> {
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
