/** Generators: sampling completions of a batch, and merging adapters. */
import {
  oursAlone,
  perSecond,
  tokensAgree,
  type Plan,
  type SuiteContext,
  partRow,
  timeRow,
} from '../plan.ts';
import type { MergeWorkload } from '../types.ts';

const GROUP = 8;
const PROMPT = 32;

export function rolloutPlans(context: SuiteContext): Plan[] {
  const { backend, model, rollouts, tokens } = context;
  const samples = Math.min(GROUP, rollouts);
  const groups = Math.max(1, Math.floor(rollouts / samples));
  const count = groups * samples;
  return [
    {
      workload: { kind: 'rollout', model, groups, samples, promptLength: PROMPT, newTokens: tokens },
      peers: ['tfjs', 'transformers.js', 'wasm'],
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

const ADAPTER = {
  rank: 8,
  targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
} as const;

const MAPS = `rank ${ADAPTER.rank}, all maps of the blocks`;

const ON_HOST = partRow('LoRA: merge on the host, for exports', `${MAPS}, float64`, 'host');

function mergePlan({ model }: SuiteContext, precision: MergeWorkload['precision']): Plan {
  const shape = `${MAPS}, ${precision}`;
  return oursAlone({ kind: 'merge', model, precision, ...ADAPTER }, [
    timeRow('LoRA: merge in a generator', shape),
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
