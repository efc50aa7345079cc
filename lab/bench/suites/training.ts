/** Training: one update, a whole step of the loop, and runs under each schedule. */
import {
  cpuRows,
  milliseconds,
  perSecond,
  valuesAgree,
  type Plan,
  type RowSpec,
  type SuiteContext,
  oursAlone,
  percentOf,
} from '../plan.ts';
import { PERCENT_REACHED, TIMES_FASTER } from '../statistics.ts';
import {
  type PeerName,
  type Targets,
  SCHEDULES,
  type Sample,
  type ScheduleFigure,
  type ScheduleName,
  STEP_TASKS,
  type StepTask,
} from '../types.ts';

const PEERS: readonly PeerName[] = ['tfjs', 'jax-js', 'wasm', 'torch'];
const TARGETS: Targets = { tfjs: 4, 'jax-js': 2, torch: 1 };

/** One update of the whole model: forward, loss, backward, clip, AdamW. */
export function trainPlans(context: SuiteContext): Plan[] {
  const { available, model, rollouts, tokens } = context;
  const shape = `${rollouts} rollouts x ${tokens} tokens`;
  return [
    {
      workload: { kind: 'train', model, rollouts, length: tokens },
      peers: PEERS.filter((peer) => available.has(peer)),
      agreement: valuesAgree(2e-3),
      rows: [
        { name: 'training step', shape, unit: 'ms', value: milliseconds, target: TARGETS },
        ...cpuRows(context, 'training step', shape),
        ...utilisation(context, shape),
      ],
    },
  ];
}

/** Six operations for each parameter and token: two forward, four backward. Only a large model is bound by its products. */
function utilisation({ model, software, rollouts, tokens }: SuiteContext, shape: string): RowSpec[] {
  if (model.kind !== 'shape') return [];
  return [
    {
      name: 'training against our product',
      shape,
      unit: PERCENT_REACHED,
      value: ({ seconds, parameters = NaN }, ceilingOf) =>
        (100 * 6 * parameters * rollouts * tokens) / 1e9 / seconds / ceilingOf('product'),
      needs: ['product'],
      target: software ? {} : { ours: 40 },
    },
  ];
}

const SHAPE = 'default settings';
const FIRST_TASK: StepTask = 'sum_digits';
/** The factor by which a whole step has to be faster than TRL's trainer. Answers of `sum_digits` are twice as long. */
const FASTER_THAN_TRL: Readonly<Record<StepTask, number>> = { sum_digits: 1.5, reverse_digits: 1.2 };
const CPU_OF_TRL = 1.5;

/** One whole step of reinforcement learning on a task's default settings: sample, score, update, hand over. */
export function stepPlans(context: SuiteContext): Plan[] {
  const { model, quick } = context;
  const tasks = quick ? [FIRST_TASK] : STEP_TASKS;
  return [
    ...tasks.map((task) => stepPlan(context, task)),
    oursAlone({ kind: 'step', model, task: FIRST_TASK, workers: false }, [
      {
        name: 'step: time outside kernels',
        shape: `${SHAPE}, one generator in the trainer's thread`,
        unit: '%',
        value: (sample) => 100 - percentOf('kernels')(sample),
        target: { ours: 15 },
      },
    ]),
  ];
}

/** `trl`: TRL's GRPO trainer with the same model, problems in a step, answers to each and longest answer. */
function stepPlan(context: SuiteContext, task: StepTask): Plan {
  const { available, model } = context;
  const shape = `${task}, ${SHAPE}`;
  const part = (name: string, of: string): RowSpec => ({
    name,
    shape,
    unit: 's',
    value: (sample) => sample[of] ?? NaN,
  });
  return {
    workload: { kind: 'step', model, task, workers: true },
    peers: available.has('trl') ? ['trl'] : [],
    agreement: () => null,
    rows: [
      { ...part('step', 'seconds'), target: { trl: FASTER_THAN_TRL[task] } },
      ...cpuRows(context, 'step', shape, { trl: 1 / CPU_OF_TRL }),
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
    oursAlone({ kind: 'step', model, task: FIRST_TASK, workers: true }, [
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
      },
    ]),
  ];
}

/** Enough for several rounds of decoding, so that answers come one after the other. */
const PROBLEMS = 512;
const SAMPLES = 2;
const MAX_STEPS_OFF_POLICY = 3;
const STEPS = 6;
const QUICK_STEPS = 3;
/** The default number of generators of a run. */
const GENERATORS = 2;

/**
 * The same run under each schedule. Where the trainer has one thread and there is one generator, both fit side by side and
 * overlap should pay; where they share all cores, it must at least cost nothing.
 */
export function schedulePlans(context: SuiteContext): Plan[] {
  const everything = schedulePlan(context, {
    shape: `all threads, ${GENERATORS} generators`,
    generators: GENERATORS,
    target: 1 / 1.05,
  });
  if (context.backend !== 'wasm') return [everything];
  const single = schedulePlan(context, {
    shape: '1 thread, 1 generator',
    generators: 1,
    threads: 1,
    target: 1.3,
  });
  return [single, everything];
}

interface Setup {
  readonly shape: string;
  readonly generators: number;
  /** The threads of the trainer; all of them by default. */
  readonly threads?: number;
  /** The factor by which the other schedules have to be faster than taking turns. */
  readonly target: number;
}

function schedulePlan({ model, quick }: SuiteContext, { shape, generators, threads, target }: Setup): Plan {
  const seconds = (schedule: ScheduleName, what: ScheduleFigure, name: string): RowSpec => ({
    name: `${schedule}: ${name}`,
    shape,
    unit: 's',
    value: (sample) => figure(sample, schedule, what),
  });
  const faster = (schedule: ScheduleName): RowSpec => ({
    name: `${schedule} against sync`,
    shape,
    unit: TIMES_FASTER,
    value: (sample) => figure(sample, 'sync', 'wall') / figure(sample, schedule, 'wall'),
    target: { ours: target },
  });
  return {
    ...oursAlone(
      {
        kind: 'schedule',
        model,
        generators,
        problems: PROBLEMS,
        samples: SAMPLES,
        maxStepsOffPolicy: MAX_STEPS_OFF_POLICY,
        steps: quick ? QUICK_STEPS : STEPS,
      },
      [
        ...SCHEDULES.flatMap((schedule) => [
          seconds(schedule, 'wall', 'step'),
          seconds(schedule, 'trainer', 'trainer busy'),
          seconds(schedule, 'generators', 'generators busy'),
        ]),
        {
          name: 'async: policy age',
          shape,
          unit: 'updates',
          value: (sample) => figure(sample, 'async', 'age'),
        },
        faster('stream'),
        faster('async'),
      ],
    ),
    ...(threads === undefined ? {} : { threads }),
  };
}

function figure(sample: Sample, schedule: ScheduleName, what: ScheduleFigure): number {
  return sample[`${schedule} ${what}`] ?? NaN;
}
