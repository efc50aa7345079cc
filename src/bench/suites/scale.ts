/** How cost and memory grow: with more rollouts, with longer ones, with more steps. Takes minutes on a software adapter. */
import { nothingToCompare, type Plan, type SuiteContext } from '../plan.ts';
import type { GrowthWorkload } from '../types.ts';

const EARLY = 20;
const LATE = 500;
const MEBIBYTE = 2 ** 20;

export function scalePlans({ model }: SuiteContext): Plan[] {
  return [
    growthPlan({ kind: 'growth', model, work: 'train', axis: 'rollouts', small: 32, large: 512 }),
    growthPlan({ kind: 'growth', model, work: 'rollout', axis: 'rollouts', small: 32, large: 512 }),
    growthPlan({ kind: 'growth', model, work: 'train', axis: 'length', small: 64, large: 512 }),
    growthPlan({ kind: 'growth', model, work: 'rollout', axis: 'length', small: 64, large: 512 }),
    {
      workload: { kind: 'memory', model, early: EARLY, late: LATE },
      peers: [],
      agreement: nothingToCompare,
      repeats: 1,
      rows: [
        {
          name: 'memory: growth',
          shape: `${EARLY} to ${LATE} steps of varied lengths`,
          unit: '%',
          value: ({ early = NaN, late = NaN }) => 100 * Math.abs(late / early - 1),
          target: { ours: 2 },
        },
        {
          name: 'memory: on the device',
          shape: `after ${LATE} steps`,
          unit: 'MiB',
          value: ({ late = NaN }) => late / MEBIBYTE,
          target: {},
        },
      ],
    },
  ];
}

function growthPlan(workload: GrowthWorkload): Plan {
  const { work, axis, small, large } = workload;
  const what = work === 'train' ? 'training' : 'sampling';
  const unit = axis === 'rollouts' ? 'rollout' : 'token, attention taken off';
  return {
    workload,
    peers: [],
    agreement: nothingToCompare,
    rows: [
      {
        name: `growth: ${what} per ${unit}`,
        shape: `${axis} ${small} to ${large}`,
        unit: '%',
        value: (sample) => 100 * Math.abs((sample['large'] ?? NaN) / (sample['small'] ?? NaN) - 1),
        target: { ours: 15 },
      },
    ],
  };
}
