/** One update of the whole model: forward, loss, backward, clip, AdamW. */
import { milliseconds, valuesAgree, type Plan, type SuiteContext } from '../plan.ts';
import type { PeerName, Targets } from '../types.ts';

const PEERS: readonly PeerName[] = ['tfjs', 'jax-js', 'wasm'];
const TARGETS: Targets = { tfjs: 4, 'jax-js': 2 };

export function trainPlans({ available, model, rollouts, tokens }: SuiteContext): Plan[] {
  return [
    {
      workload: { kind: 'train', model, rollouts, length: tokens },
      peers: PEERS.filter((peer) => available.has(peer)),
      agreement: valuesAgree(2e-3),
      rows: [
        {
          name: 'training step',
          shape: `${rollouts} rollouts x ${tokens} tokens`,
          unit: 'ms',
          value: milliseconds,
          target: TARGETS,
        },
      ],
    },
  ];
}
