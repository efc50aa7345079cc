/** Ours as a participant, on the backend it is asked for: the subject of the benchmark, and on wasm also a peer of it. */
import type { Participant, Environment, OpenFiles } from '../types.ts';
import { hostModel } from '../participants/model.ts';
import { startOurs } from './device.ts';
import { prepareGemm, prepareOp } from './ops.ts';
import { prepareMerge, prepareRollouts } from './generators.ts';
import { prepareAdaptedRollouts, prepareAdapterTraining, preparePass } from './lora.ts';
import { prepareStep } from './runs.ts';
import { prepareTraining } from './train.ts';

export async function createOurs(environment: Environment, openFiles: OpenFiles): Promise<Participant> {
  const adapter = await startOurs(environment);
  return {
    adapter,
    async prepare(workload) {
      const { kind } = workload;
      if (kind === 'gemm') return prepareGemm(workload);
      if (kind === 'op') return prepareOp(workload);
      if (kind === 'step') return prepareStep(workload, environment, openFiles);
      if (kind === 'pass') return preparePass(workload, environment, openFiles);
      if (kind === 'train' && workload.rank !== undefined)
        return prepareAdapterTraining({ ...workload, rank: workload.rank }, environment, openFiles);
      if (kind === 'rollout' && workload.rank !== undefined)
        return prepareAdaptedRollouts({ ...workload, rank: workload.rank }, environment, openFiles);
      const model = await hostModel(workload.model, openFiles);
      if (kind === 'train') return prepareTraining(workload, model);
      if (kind === 'rollout') return prepareRollouts(workload, model, environment);
      return prepareMerge(workload, model);
    },
  };
}
