/** Sampling completions of a batch, and what bounds it. */
import { nothingToCompare, perSecond, tokensAgree, type Plan, type SuiteContext } from '../plan.ts';
import { PERCENT_REACHED } from '../statistics.ts';
import type { PeerName } from '../types.ts';

const PEERS: readonly PeerName[] = ['tfjs', 'transformers.js', 'wasm'];
const GROUP = 8;
const PROMPT = 32;
const COUNTED_TOKENS = 33;

export function rolloutPlans(context: SuiteContext): Plan[] {
  const { available, backend, model, rollouts, tokens } = context;
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
    ...(backend === 'webgpu' ? [singlePlan(context)] : []),
    ...(model.kind === 'shape' ? [batchPlan(context)] : []),
  ];
}

/** One row at a time, where the number of dispatches decides. */
function singlePlan({ model, software }: SuiteContext): Plan {
  const large = model.kind === 'shape';
  const shape = 'batch 1';
  return {
    workload: { kind: 'decode', model, rows: 1, newTokens: COUNTED_TOKENS },
    peers: [],
    agreement: nothingToCompare,
    rows: [
      { name: 'decoding', shape, unit: 'tokens/s', value: perSecond(1), target: {} },
      {
        name: 'decoding: dispatches per layer',
        shape,
        unit: 'dispatches',
        value: ({ dispatches = NaN, layers = NaN }) => dispatches / layers,
        target: large ? { ours: 6 } : {},
      },
      {
        name: 'decoding against the cost of its dispatches',
        shape,
        unit: PERCENT_REACHED,
        value: ({ seconds, dispatches = NaN }, ceilingOf) =>
          (100 * (dispatches * ceilingOf('dispatch'))) / 1e6 / seconds,
        needs: ['dispatch'],
        target: large && !software ? { ours: 60 } : {},
      },
    ],
  };
}

/** A full batch, where the products decide: two operations for each parameter and token. */
function batchPlan({ model, rollouts, software }: SuiteContext): Plan {
  return {
    workload: { kind: 'decode', model, rows: rollouts, newTokens: COUNTED_TOKENS },
    peers: [],
    agreement: nothingToCompare,
    rows: [
      {
        name: 'decoding against our product',
        shape: `batch ${rollouts}`,
        unit: PERCENT_REACHED,
        value: ({ seconds, parameters = NaN }, ceilingOf) =>
          (100 * 2 * parameters * rollouts) / 1e9 / seconds / ceilingOf('product'),
        needs: ['product'],
        target: software ? {} : { ours: 30 },
      },
    ],
  };
}
