/** The same work in jax-js, jitted. */
import { defaultDevice, init } from '@jax-js/jax';
import { hostModel } from '../../participants/model.ts';
import type { Environment, OpenFiles } from '../../participants/environment.ts';
import type { Participant } from '../../types.ts';
import { prepareGemm } from './gemm.ts';
import { prepareTraining } from './train.ts';

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
      throw new Error(`The jax-js peer does not run "${kind}".`);
    },
    dispose: () => {},
  };
}
