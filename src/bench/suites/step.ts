/** One whole step of reinforcement learning on the default task and settings: sample, score, update, hand over. */
import { nothingToCompare, percentOf, type Plan, type RowSpec, type SuiteContext } from '../plan.ts';

const SHAPE = 'default settings';

function seconds(name: string, part: string): RowSpec {
  return { name, shape: SHAPE, unit: 's', value: (sample) => sample[part] ?? NaN, target: {} };
}

export function stepPlans({ model }: SuiteContext): Plan[] {
  return [
    {
      workload: { kind: 'step', model, workers: true },
      peers: [],
      agreement: nothingToCompare,
      rows: [
        seconds('step', 'seconds'),
        seconds('step: sampling', 'sampling'),
        seconds('step: training', 'training'),
        seconds('step: weight hand-off', 'handOff'),
      ],
    },
    {
      workload: { kind: 'step', model, workers: false },
      peers: [],
      agreement: nothingToCompare,
      rows: [
        {
          name: 'step: time outside kernels',
          shape: `${SHAPE}, one generator in the trainer's thread`,
          unit: '%',
          value: (sample) => 100 - percentOf('kernels')(sample),
          target: { ours: 15 },
        },
      ],
    },
  ];
}

/** The share of a step in which new weights are on their way and nothing else happens. */
export function syncPlans({ model }: SuiteContext): Plan[] {
  return [
    {
      workload: { kind: 'step', model, workers: true },
      peers: [],
      agreement: nothingToCompare,
      rows: [
        {
          name: 'weight hand-off',
          shape: SHAPE,
          unit: '%',
          value: percentOf('handOff'),
          target: { ours: 3 },
        },
        {
          name: 'weight hand-off',
          shape: SHAPE,
          unit: 'ms',
          value: (sample) => 1000 * (sample['handOff'] ?? NaN),
          target: {},
        },
      ],
    },
  ];
}
