/**
 * Schedules against taking turns, on one task with identical settings. Where the trainer has one thread and there is one
 * generator, both fit side by side and overlap should pay; where they share all cores, it must at least cost nothing.
 */
import { nothingToCompare, type Plan, type RowSpec, type SuiteContext } from '../plan.ts';
import { TIMES_FASTER } from '../statistics.ts';
import { SCHEDULES, type Sample, type ScheduleFigure, type ScheduleName } from '../types.ts';

/** Enough for several rounds of decoding, so that answers come one after the other. */
const PROBLEMS = 512;
const SAMPLES = 2;
const MAX_STEPS_OFF_POLICY = 3;
const STEPS = 6;
const QUICK_STEPS = 3;
/** Of a run by default. */
const GENERATORS = 2;

export function schedulePlans(context: SuiteContext): Plan[] {
  const everything = plan(context, {
    shape: `all threads, ${GENERATORS} generators`,
    generators: GENERATORS,
    target: 1 / 1.05,
  });
  if (context.backend !== 'wasm') return [everything];
  const single = plan(context, { shape: '1 thread, 1 generator', generators: 1, threads: 1, target: 1.3 });
  return [single, everything];
}

interface Setup {
  readonly shape: string;
  readonly generators: number;
  /** Of the trainer; all if absent. */
  readonly threads?: number;
  /** How many times as fast as taking turns the others have to be. */
  readonly target: number;
}

function plan({ model, quick }: SuiteContext, { shape, generators, threads, target }: Setup): Plan {
  const seconds = (schedule: ScheduleName, what: ScheduleFigure, name: string): RowSpec => ({
    name: `${schedule}: ${name}`,
    shape,
    unit: 's',
    value: (sample) => figure(sample, schedule, what),
    target: {},
  });
  const faster = (schedule: ScheduleName): RowSpec => ({
    name: `${schedule} against sync`,
    shape,
    unit: TIMES_FASTER,
    value: (sample) => figure(sample, 'sync', 'wall') / figure(sample, schedule, 'wall'),
    target: { ours: target },
  });
  return {
    workload: {
      kind: 'schedule',
      model,
      generators,
      problems: PROBLEMS,
      samples: SAMPLES,
      maxStepsOffPolicy: MAX_STEPS_OFF_POLICY,
      steps: quick ? QUICK_STEPS : STEPS,
    },
    peers: [],
    ...(threads === undefined ? {} : { threads }),
    agreement: nothingToCompare,
    rows: [
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
        target: {},
      },
      faster('stream'),
      faster('async'),
    ],
  };
}

function figure(sample: Sample, schedule: ScheduleName, what: ScheduleFigure): number {
  return sample[`${schedule} ${what}`] ?? NaN;
}
