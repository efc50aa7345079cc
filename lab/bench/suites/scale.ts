/** The growth of cost and memory: with more rollouts, with longer ones, with more steps. It takes minutes on a software adapter. */
import { oursAlone, type Plan, type RowSpec, type SuiteContext } from '../plan.ts';
import type { GrowthWorkload, Sample } from '../types.ts';

const EARLY = 20;
const LATE = 500;
const MEBIBYTE = 2 ** 20;

export function scalePlans({ model }: SuiteContext): Plan[] {
  return [
    growthPlan({ kind: 'growth', model, axis: 'rollouts', small: 32, large: 512 }),
    growthPlan({ kind: 'growth', model, axis: 'length', small: 64, large: 512 }),
    {
      ...oursAlone({ kind: 'memory', model, early: EARLY, late: LATE }, [
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
        },
      ]),
      repeats: 1,
    },
  ];
}

function growthPlan(workload: GrowthWorkload): Plan {
  const { axis, small, large } = workload;
  const per = axis === 'rollouts' ? 'per rollout' : 'per token, attention taken off';
  const part = (sample: Sample, name: string): number => sample[name] ?? NaN;
  const cost = (what: string, name: string, size: number): RowSpec => ({
    name: `growth: ${what} ${per}`,
    shape: `${axis} ${size}`,
    unit: 'ms',
    value: (sample) => 1000 * part(sample, name),
  });
  const step = (sample: Sample, size: 'small' | 'large'): number =>
    part(sample, `${size}Training`) + part(sample, `${size}Sampling`);
  return oursAlone(workload, [
    cost('training', 'smallTraining', small),
    cost('training', 'largeTraining', large),
    cost('sampling', 'smallSampling', small),
    cost('sampling', 'largeSampling', large),
    {
      name: `growth: a step ${per}`,
      shape: `${axis} ${small} to ${large}`,
      unit: '%',
      value: (sample) => 100 * Math.abs(step(sample, 'large') / step(sample, 'small') - 1),
      target: { ours: 15 },
    },
  ]);
}
