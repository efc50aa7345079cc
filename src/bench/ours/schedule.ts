/** The same run under each schedule in turns: how long a step takes, and how busy trainer and generators are. */
import { defaultConfig } from '../../config/presets.ts';
import type { RunConfig } from '../../config/schema.ts';
import { loadModel } from '../../hub/load.ts';
import type { LoadedModel } from '../../hub/types.ts';
import { createWorkerPool } from '../../rollout/workerPool.ts';
import { freshStart, Session, type SessionEnvironment } from '../../run/session.ts';
import type { Environment, OpenFiles } from '../participants/environment.ts';
import { secondsSince } from '../participants/timing.ts';
import {
  SCHEDULES,
  type Prepared,
  type ScheduleFigure,
  type ScheduleName,
  type ScheduleWorkload,
} from '../types.ts';

/** Until generators have found their pace, and all that is compiled or grown on first use is there. */
const STEPS_BEFORE = 2;

const SETTINGS: Partial<RunConfig> = {
  // Training on an answer takes about three times as long as sampling it. On groups with a signal alone, both take as long.
  removeConstantGroups: true,
  // So small that the work of every step stays the same.
  learningRate: 1e-7,
  // Streaming begins with one of these.
  numMinibatches: 8,
};

/** @throws where the model has no tokenizer: random weights have nobody to talk to. */
export async function prepareSchedules(
  { model: source, generators, problems, samples, maxStepsOffPolicy, steps }: ScheduleWorkload,
  { backend, wasmPath }: Environment,
  openFiles: OpenFiles,
): Promise<Prepared> {
  if (source.kind === 'shape') {
    throw new Error('A run needs a model with a tokenizer; random weights have none. Use --model starter.');
  }
  const model = await loadModel(openFiles(source.label, source.address));
  const config: RunConfig = {
    ...defaultConfig('reverse_digits'),
    problemsPerStep: problems,
    rolloutsPerProblem: samples,
    numGenerators: generators,
    maxStepsOffPolicy,
    ...SETTINGS,
  };
  const environment: SessionEnvironment = {
    createPool: (generator, { numGenerators: size, generatorPrecision: precision }) =>
      createWorkerPool({ size, precision, backend, wasmPath, model: generator }),
    now: () => performance.now(),
  };
  return {
    check: null,
    async run() {
      const began = performance.now();
      const parts: Record<string, number> = {};
      for (const schedule of SCHEDULES) {
        Object.assign(parts, await measured({ ...config, schedule }, model, environment, steps));
      }
      return { ...parts, seconds: secondsSince(began) };
    },
    dispose: () => {},
  };
}

/** A run from its start, so that every schedule has the same work to do. */
async function measured(
  config: RunConfig,
  model: LoadedModel,
  environment: SessionEnvironment,
  steps: number,
): Promise<Record<string, number>> {
  const session = await Session.open(config, freshStart(model), environment);
  try {
    for (let step = 0; step < STEPS_BEFORE; step++) await session.trainStep({});
    const began = performance.now();
    for (let step = 0; step < steps; step++) await session.trainStep({});
    const wall = secondsSince(began) / steps;
    const metrics = session.metrics.slice(-steps);
    const mean = (key: 'trainerBusy' | 'generatorsBusy' | 'policyAgeMean'): number =>
      metrics.reduce((sum, record) => sum + (record[key] ?? NaN), 0) / steps;
    const name = (what: ScheduleFigure): `${ScheduleName} ${ScheduleFigure}` => `${config.schedule} ${what}`;
    return {
      [name('wall')]: wall,
      [name('trainer')]: mean('trainerBusy'),
      [name('generators')]: mean('generatorsBusy'),
      [name('age')]: mean('policyAgeMean'),
    };
  } finally {
    session.dispose();
  }
}
