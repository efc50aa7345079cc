/** Sampling completions of a batch. */
import { perSecond, tokensAgree, type Plan, type SuiteContext } from '../plan.ts';
import type { PeerName } from '../types.ts';

const PEERS: readonly PeerName[] = ['tfjs', 'transformers.js', 'wasm'];
const GROUP = 8;
const PROMPT = 32;

export function rolloutPlans({ available, backend, model, rollouts, tokens }: SuiteContext): Plan[] {
  const samples = Math.min(GROUP, rollouts);
  const groups = Math.max(1, Math.floor(rollouts / samples));
  const count = groups * samples;
  return [
    {
      workload: { kind: 'rollout', model, groups, samples, promptLength: PROMPT, newTokens: tokens },
      peers: PEERS.filter((peer) => available.has(peer)),
      agreement: tokensAgree(0.95),
      rows: [
        {
          name: 'rollouts',
          shape: `${count} rollouts x ${tokens} tokens`,
          unit: 'rollouts/s',
          value: perSecond(count),
          target: { tfjs: 8, 'transformers.js': backend === 'webgpu' ? 10 : 1.5 },
        },
      ],
    },
  ];
}
