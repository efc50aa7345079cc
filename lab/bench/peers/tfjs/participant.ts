/** The same work composed of plain tfjs ops on tfjs' own backend. */
import { hostModel } from '../../participants/model.ts';
import type { Environment, OpenFiles, Participant } from '../../types.ts';
import { preparedOn, startStockBackend } from './backend.ts';
import { prepareGemm, prepareOp } from './ops.ts';
import { prepareRollouts } from './rollout.ts';
import { prepareTraining } from './train.ts';

export async function createTfjs(environment: Environment, openFiles: OpenFiles): Promise<Participant> {
  const stock = await startStockBackend(environment);
  return {
    adapter: `tfjs ${stock.name}`,
    prepare(workload) {
      return preparedOn(stock, async () => {
        const { kind } = workload;
        if (kind === 'gemm') return prepareGemm(workload, stock);
        if (kind === 'op') return prepareOp(workload, stock);
        if (kind === 'train') return prepareTraining(workload, await hostModel(workload.model, openFiles));
        if (kind === 'rollout') return prepareRollouts(workload, await hostModel(workload.model, openFiles));
        throw new Error(`The tfjs peer does not run "${kind}".`);
      });
    },
  };
}
