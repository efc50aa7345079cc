/** Ours as a participant, on the backend it is asked for: the subject of the benchmark, and on wasm also a peer of it. */
import { prepareCeiling, prepareGemm, prepareRollouts, prepareTraining, startOurs } from '../ours.ts';
import type { Participant } from '../types.ts';
import type { Environment, OpenFiles } from './environment.ts';
import { hostModel } from './model.ts';

export async function createOurs(environment: Environment, openFiles: OpenFiles): Promise<Participant> {
  const adapter = await startOurs(environment);
  return {
    adapter,
    async prepare(workload) {
      const { kind } = workload;
      if (kind === 'gemm') return prepareGemm(workload);
      if (kind === 'ceiling') return prepareCeiling(workload, environment);
      if (kind === 'train') return prepareTraining(workload, await hostModel(workload.model, openFiles));
      if (kind === 'rollout') {
        return prepareRollouts(workload, await hostModel(workload.model, openFiles), environment);
      }
      throw new Error(`Ours does not run "${kind}".`);
    },
    dispose: () => {},
  };
}
