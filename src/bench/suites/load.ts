/** From a model's files in memory to its first token. */
import { milliseconds, tokensAgree, type Plan, type SuiteContext } from '../plan.ts';
import type { PeerName } from '../types.ts';

const PEERS: readonly PeerName[] = ['transformers.js', 'wasm'];

export function loadPlans({ available, model }: SuiteContext): Plan[] {
  return [
    {
      workload: { kind: 'load', model },
      peers: PEERS.filter((peer) => available.has(peer)),
      agreement: tokensAgree(1),
      rows: [
        {
          name: 'load',
          shape: 'files in memory to first token',
          unit: 'ms',
          value: milliseconds,
          target: {},
        },
      ],
    },
  ];
}
