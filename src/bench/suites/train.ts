/** One update of the whole model: forward, loss, backward, clip, AdamW. */
import { milliseconds, valuesAgree, type Plan, type RowSpec, type SuiteContext } from '../plan.ts';
import { PERCENT_REACHED } from '../statistics.ts';
import type { PeerName, Targets } from '../types.ts';

const PEERS: readonly PeerName[] = ['tfjs', 'jax-js', 'wasm'];
const TARGETS: Targets = { tfjs: 4, 'jax-js': 2 };

export function trainPlans(context: SuiteContext): Plan[] {
  const { available, model, rollouts, tokens } = context;
  const shape = `${rollouts} rollouts x ${tokens} tokens`;
  return [
    {
      workload: { kind: 'train', model, rollouts, length: tokens },
      peers: PEERS.filter((peer) => available.has(peer)),
      agreement: valuesAgree(2e-3),
      rows: [
        { name: 'training step', shape, unit: 'ms', value: milliseconds, target: TARGETS },
        ...utilisation(context, shape),
      ],
    },
  ];
}

/** Six operations for each parameter and token: two forward, four backward. Only a large model is bound by its products. */
function utilisation({ model, software, rollouts, tokens }: SuiteContext, shape: string): RowSpec[] {
  if (model.kind !== 'shape') return [];
  return [
    {
      name: 'training against our product',
      shape,
      unit: PERCENT_REACHED,
      value: ({ seconds, parameters = NaN }, ceilingOf) =>
        (100 * 6 * parameters * rollouts * tokens) / 1e9 / seconds / ceilingOf('product'),
      needs: ['product'],
      target: software ? {} : { ours: 40 },
    },
  ];
}
