/** LoRA: what it takes a generator to merge an adapter into its weights, in every step. */
import { milliseconds, nothingToCompare, type Plan, type RowSpec, type SuiteContext } from '../plan.ts';
import type { MergeWorkload } from '../types.ts';

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
  target: {},
};

function mergePlan({ model }: SuiteContext, precision: MergeWorkload['precision']): Plan {
  const shape = `${MAPS}, ${precision}`;
  return {
    workload: { kind: 'merge', model, precision, ...ADAPTER },
    peers: [],
    agreement: nothingToCompare,
    rows: [
      { name: 'LoRA: merge in a generator', shape, unit: 'ms', value: milliseconds, target: {} },
      ...(precision === 'f32' ? [ON_HOST] : []),
    ],
  };
}

export function mergePlans(context: SuiteContext): Plan[] {
  // Halves are for GPUs.
  const precisions =
    context.backend === 'webgpu' && !context.quick ? (['f32', 'f16'] as const) : (['f32'] as const);
  return precisions.map((precision) => mergePlan(context, precision));
}
