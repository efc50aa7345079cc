/** Generators: sampling completions of a batch and what bounds it, starting from a model, and merging adapters. */
import {
  oursAlone,
  perSecond,
  tokensAgree,
  type Plan,
  type SuiteContext,
  milliseconds,
  type RowSpec,
} from '../plan.ts';
import { PERCENT_REACHED } from '../statistics.ts';
import type { PeerName, MergeWorkload } from '../types.ts';

const ROLLOUT_PEERS: readonly PeerName[] = ['tfjs', 'transformers.js', 'wasm'];
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
      peers: ROLLOUT_PEERS.filter((peer) => available.has(peer)),
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
  return oursAlone({ kind: 'decode', model, rows: 1, newTokens: COUNTED_TOKENS }, [
    { name: 'decoding', shape, unit: 'tokens/s', value: perSecond(1) },
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
  ]);
}

/** A full batch, where the products decide: two operations for each parameter and token. */
function batchPlan({ model, rollouts, software }: SuiteContext): Plan {
  return oursAlone({ kind: 'decode', model, rows: rollouts, newTokens: COUNTED_TOKENS }, [
    {
      name: 'decoding against our product',
      shape: `batch ${rollouts}`,
      unit: PERCENT_REACHED,
      value: ({ seconds, parameters = NaN }, ceilingOf) =>
        (100 * 2 * parameters * rollouts) / 1e9 / seconds / ceilingOf('product'),
      needs: ['product'],
      target: software ? {} : { ours: 30 },
    },
  ]);
}

const LOAD_PEERS: readonly PeerName[] = ['transformers.js', 'wasm'];

/** Times a model from its files in memory to its first token. */
export function loadPlans({ available, model }: SuiteContext): Plan[] {
  return [
    {
      workload: { kind: 'load', model },
      peers: LOAD_PEERS.filter((peer) => available.has(peer)),
      agreement: tokensAgree(1),
      rows: [{ name: 'load', shape: 'files in memory to first token', unit: 'ms', value: milliseconds }],
    },
  ];
}

const ADAPTER = {
  rank: 8,
  targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
} as const;

const MAPS = `rank ${ADAPTER.rank}, all maps of the blocks`;

const ON_HOST: RowSpec = {
  name: 'LoRA: merge on the host, for exports',
  shape: `${MAPS}, float64`,
  unit: 'ms',
  value: ({ host = NaN }) => 1000 * host,
};

function mergePlan({ model }: SuiteContext, precision: MergeWorkload['precision']): Plan {
  const shape = `${MAPS}, ${precision}`;
  return oursAlone({ kind: 'merge', model, precision, ...ADAPTER }, [
    { name: 'LoRA: merge in a generator', shape, unit: 'ms', value: milliseconds },
    ...(precision === 'f32' ? [ON_HOST] : []),
  ]);
}

/** LoRA: what it takes a generator to merge an adapter into its weights, in every step. */
export function mergePlans(context: SuiteContext): Plan[] {
  // Halves are for GPUs.
  const precisions =
    context.backend === 'webgpu' && !context.quick ? (['f32', 'f16'] as const) : (['f32'] as const);
  return precisions.map((precision) => mergePlan(context, precision));
}
