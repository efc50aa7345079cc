/** Training: one update, and a whole step of the loop. */
import {
  cpuRow,
  partRow,
  timeRow,
  perSecond,
  trainingAgrees,
  type Plan,
  type RowSpec,
  type SuiteContext,
  oursAlone,
  percentOf,
} from '../plan.ts';
import { type Targets, STEP_TASKS, type StepTask } from '../types.ts';

const TARGETS: Targets = { tfjs: 4, 'jax-js': 2, torch: 1 };

/** One update of the whole model: forward, loss, backward, clip, AdamW. */
export function trainPlans(context: SuiteContext): Plan[] {
  const { model, rollouts, tokens } = context;
  const shape = `${rollouts} rollouts x ${tokens} tokens`;
  return [
    {
      workload: { kind: 'train', model, rollouts, length: tokens },
      peers: ['tfjs', 'jax-js', 'wasm', 'torch', 'torch tf32'],
      agreement: trainingAgrees,
      rows: [timeRow('training step', shape, TARGETS), cpuRow('training step', shape)],
    },
    // The ceiling is measured in turns with what it bounds: one of another time is none.
    oursAlone({ kind: 'train', model, rollouts, length: tokens, products: true }, [
      { name: 'training step: its products alone', shape, unit: '%', value: percentOf('products') },
    ]),
  ];
}

const SHAPE = 'default settings';
const FIRST_TASK: StepTask = 'sum_digits';
/** The factor by which a whole step has to be faster than TRL's trainer. Answers of `sum_digits` are twice as long. */
const FASTER_THAN_TRL: Readonly<Record<StepTask, number>> = { sum_digits: 1.5, reverse_digits: 1.2 };
const CPU_OF_TRL = 1.5;

/** One whole step of reinforcement learning on a task's default settings: sample, score, update, hand over. */
export function stepPlans(context: SuiteContext): Plan[] {
  const tasks = context.quick ? [FIRST_TASK] : STEP_TASKS;
  return tasks.map((task) => stepPlan(context, task));
}

/** `trl`: TRL's GRPO trainer with the same model, problems in a step, answers to each and longest answer. */
function stepPlan({ model }: SuiteContext, task: StepTask): Plan {
  const shape = `${task}, ${SHAPE}`;
  const part = (name: string, of: string): RowSpec => ({
    name,
    shape,
    unit: 's',
    value: (sample) => sample[of] ?? NaN,
  });
  return {
    workload: { kind: 'step', model, task },
    peers: ['trl'],
    agreement: () => null,
    rows: [
      { ...part('step', 'seconds'), target: { trl: FASTER_THAN_TRL[task] } },
      cpuRow('step', shape, { trl: 1 / CPU_OF_TRL }),
      {
        name: 'step: answers',
        shape,
        unit: 'tokens/s',
        value: (sample) => perSecond(sample['tokens'] ?? NaN)(sample),
      },
      part('step: sampling', 'sampling'),
      part('step: training', 'training'),
      part('step: weight hand-off', 'handOff'),
    ],
  };
}

/** The share of a step in which new weights are handed over and nothing else happens. */
export function syncPlans({ model }: SuiteContext): Plan[] {
  return [
    oursAlone({ kind: 'step', model, task: FIRST_TASK }, [
      {
        name: 'weight hand-off',
        shape: SHAPE,
        unit: '%',
        value: percentOf('handOff'),
        target: { ours: 3 },
      },
      partRow('weight hand-off', SHAPE, 'handOff'),
    ]),
  ];
}
