/** The buttons of an alarm: a new run begins from a kept checkpoint, with other settings. */
import { isFieldKey, type RunConfig } from '@rl-playground/run/settings';
import { mean } from '@rl-playground/base/statistics';
import type { Alarm } from '@rl-playground/run/diagnosis';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { bestOf, type Commit, type KeptRun } from '@rl-playground/run/kept';
import type { RunController } from '@rl-playground/run/session';
import { forkRun } from '../compare/compareActions.ts';
import { forkableFields } from '../compare/forkable.ts';
import type { Locked } from '../../run/form/locks.ts';
import { atRest } from '../../run/state/phases.ts';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { reportError } from '../../ui/open/openStore.ts';

/** A checkpoint that was not evaluated is judged by the mean reward of this many steps before it. */
const LOOKED_AT = 3;

/** The commit with the highest evaluated accuracy, or, if none was evaluated, with the highest reward in the steps before it. */
export function bestCommit(commits: readonly Commit[], metrics: readonly StepMetrics[]): Commit | null {
  const evaluated = bestOf(commits);
  if (evaluated !== null) return evaluated;
  const reward = ({ step: at }: Commit): number => {
    const before = metrics.filter(({ step }) => step <= at).slice(-LOOKED_AT);
    return before.length === 0 ? -Infinity : mean(before.map((step) => step.reward));
  };
  return commits.reduce<Commit | null>(
    (best, each) => (best === null || reward(each) > reward(best) ? each : best),
    null,
  );
}

/**
 * A run that is rolled back goes on with the part of the cure that can change in the middle of a run. Without such a part it takes another
 * seed, because the same draws would lead to the same place. A class link may lock both; then nothing changes.
 */
export function rolledBackChanges(
  config: RunConfig,
  { diagnosis }: Alarm,
  locked: Locked,
): Partial<RunConfig> {
  const usable = new Set(forkableFields(config).flatMap(({ key }) => (locked.has(key) ? [] : [key])));
  const changes = Object.entries(diagnosis.cure.changes).filter(
    ([key]) => isFieldKey(key) && usable.has(key),
  );
  if (changes.length > 0) return Object.fromEntries(changes);
  return locked.has('seed') ? {} : { seed: config.seed + 1 };
}

async function goOn(
  title: string,
  from: (kept: KeptRun, controller: RunController) => Commit | null | undefined,
  change: (config: RunConfig) => Partial<RunConfig>,
): Promise<void> {
  const { controller, kept: runs } = useRun.getState();
  if (controller === null || runs === null) return;
  try {
    await atRest(controller);
    await runs.keepNow();
    const { run, config } = controller.snapshot();
    const kept = (await runs.list()).find((each) => each.run === run);
    const found = kept && from(kept, controller);
    if (!kept || !found || config === null) throw new Error('The browser keeps no checkpoint of this run.');
    const { number, step } = found;
    const numSteps = step < config.numSteps ? config.numSteps : step + config.numSteps;
    await forkRun(kept, { number, step }, { ...config, numSteps, ...change(config) });
  } catch (error) {
    reportError(title, error, 'The run is unchanged.');
  }
}

/** Starts a run from the best kept checkpoint. */
export function rollBack(alarm: Alarm): Promise<void> {
  return goOn(
    'The run could not be rolled back',
    (kept, controller) => bestCommit(kept.commits, controller.snapshot().metrics),
    (config) => rolledBackChanges(config, alarm, useForm.getState().classroom.locked),
  );
}

/** Starts a run from the current step. */
export function halveRate(): Promise<void> {
  return goOn(
    'The learning rate could not be halved',
    (kept) => kept.commits.at(-1),
    ({ learningRate }) => ({ learningRate: learningRate / 2 }),
  );
}
