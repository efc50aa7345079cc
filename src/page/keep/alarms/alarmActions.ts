/** What the buttons of an alarm do: the run goes on from a kept checkpoint, as a run of its own, under other settings. */
import { textOfValue, isFieldKey, type RunConfig } from '@rl-playground/run/settings';
import { mean } from '@rl-playground/base/statistics';
import type { Alarm } from '@rl-playground/run/diagnosis';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { bestOf, type Commit, type KeptRun } from '@rl-playground/run/kept';
import type { RunController } from '@rl-playground/run/session';
import { forkRun } from '../compare/compareActions.ts';
import { forkableFields } from '../compare/forkable.ts';
import type { Locked } from '../../run/form/locks.ts';
import { fieldOf } from '../../run/form/settings.ts';
import { atRest } from '../../run/state/phases.ts';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { reportError } from '../../ui/open/openStore.ts';

/** Steps whose mean reward says how good a checkpoint is that was not evaluated. */
const LOOKED_AT = 3;

/** The kept state with the highest evaluated accuracy; where none was evaluated, with the highest reward in the steps that led to it. */
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
 * What a run that is rolled back goes on with: the cure, as far as it can be changed in mid-run; else another seed, since the same draws would
 * lead to the same place. Empty where the link of a class allows neither.
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

/** As `Learning rate 0.0015`. */
export function changesText(config: RunConfig, changes: Partial<RunConfig>): string {
  const changed = { ...config, ...changes };
  const keys = Object.keys(changes).filter(isFieldKey);
  return keys.map((key) => `${fieldOf(key).label} ${textOfValue(changed[key])}`).join(', ');
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
    reportError(title, error, 'The run is as it was.');
  }
}

/** Goes on from the best checkpoint that is kept. */
export function rollBack(alarm: Alarm): Promise<void> {
  return goOn(
    'The run could not be rolled back',
    (kept, controller) => bestCommit(kept.commits, controller.snapshot().metrics),
    (config) => rolledBackChanges(config, alarm, useForm.getState().classroom.locked),
  );
}

/** Goes on from where the run stands. */
export function halveRate(): Promise<void> {
  return goOn(
    'The learning rate could not be halved',
    (kept) => kept.commits.at(-1),
    ({ learningRate }) => ({ learningRate: learningRate / 2 }),
  );
}
