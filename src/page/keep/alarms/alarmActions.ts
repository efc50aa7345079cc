/** The button of an alarm: a run begins from the last sound state of the one that went wrong, with the settings that help. */
import type { FieldKey, RunConfig } from '@rl-playground/run/settings';
import { type Alarm, lastSoundStep } from '@rl-playground/run/diagnosis';
import type { ForkPoint, KeptRun } from '@rl-playground/run/kept';
import type { RunController } from '@rl-playground/run/session';
import { forkRun } from '../compare/compareActions.ts';
import { forkableFields } from '../compare/forkable.ts';
import { listKept } from '../kept/keptActions.ts';
import { changeLabel } from '../kept/labels.ts';
import { changesText } from '../kept/changes.ts';
import { ANOTHER_RUN, unlessUnsaved } from '../../run/actions/actions.ts';
import type { Locked } from '../../run/form/locks.ts';
import { takeForm, useForm } from '../../run/form/formStore.ts';
import { atRest } from '../../run/state/phases.ts';
import { useRun } from '../../run/state/runStore.ts';
import { addNotice, reportError } from '../../ui/open/openStore.ts';

/** The settings of an alarm's cure that a class link leaves open. */
function openChanges({ diagnosis }: Alarm, locked: Locked): Partial<RunConfig> {
  const open = Object.entries(diagnosis.cure.changes).filter(([key]) => !locked.has(key as FieldKey));
  return Object.fromEntries(open);
}

/** The settings that the next run changes. Without a cure in settings it takes another seed, because the same draws would lead to the same place. */
export function changesAfter(config: RunConfig, alarm: Alarm, locked: Locked): Partial<RunConfig> {
  const changes = openChanges(alarm, locked);
  if (Object.keys(changes).length > 0) return changes;
  return locked.has('seed') ? {} : { seed: config.seed + 1 };
}

/** True if a run can take the changes in its middle. */
function isForkable(config: RunConfig, changes: Partial<RunConfig>): boolean {
  const keys = new Set<string>(forkableFields(config).map(({ key }) => key));
  return Object.keys(changes).every((key) => key === 'taskConfig' || keys.has(key));
}

/** True if a new run would begin from the model that this one began from. */
const hasStart = ({ start }: RunController): boolean =>
  start.isOurs || (start.parts !== null && start.parts.runConfig === null);

/** The state to go back to: a kept checkpoint, or null for the start of the run. @throws Error where there is neither. */
async function pointOf(
  controller: RunController,
  kept: KeptRun | undefined,
  forkable: boolean,
  soundUntil: number,
): Promise<ForkPoint | null> {
  const { metrics, config } = controller.snapshot();
  const restarts = hasStart(controller);
  const points = forkable && kept ? ((await useRun.getState().kept?.forkPoints(kept)) ?? []) : [];
  if (config === null || (points.length === 0 && !restarts))
    throw new Error(
      'The browser keeps no checkpoint of this run, and the model it started from is not loaded.',
    );
  const steps = [...(restarts ? [0] : []), ...points.map(({ step }) => step)];
  const [first = 0, ...later] = steps.toSorted((a, b) => a - b);
  const sound = lastSoundStep([first, ...later.filter((step) => step <= soundUntil)], metrics, config);
  return points.find(({ step }) => step === sound) ?? null;
}

/** Begins the run anew, under changed settings. */
async function beginAgain(controller: RunController, config: RunConfig): Promise<void> {
  const { run: parent } = controller.snapshot();
  takeForm((form) => ({ ...form, ...config }));
  const leave = controller.subscribe(() => {
    const { run } = controller.snapshot();
    if (run === parent) return;
    leave();
    if (run !== null && parent !== null)
      void changeLabel(run, { parent: { run: parent, step: 0 } }).then(listKept);
  });
  await controller.train(config).finally(leave);
}

/** Goes back to the last sound state of the run and on from there, with the settings that help. */
export async function rescue(alarm: Alarm): Promise<void> {
  const { controller, kept: runs } = useRun.getState();
  if (controller === null) return;
  try {
    await atRest(controller);
    await runs?.keepNow();
    const { run, config } = controller.snapshot();
    if (config === null) return;
    const changes = changesAfter(config, alarm, useForm.getState().classroom.locked);
    const kept = (await runs?.list())?.find((each) => each.run === run);
    const { soundUntil = Infinity } = alarm.diagnosis;
    const point = await pointOf(controller, kept, isForkable(config, changes), soundUntil);
    const step = point?.step ?? 0;
    const numSteps = step < config.numSteps ? config.numSteps : step + config.numSteps;
    const changed = { ...config, numSteps, ...changes };
    addNotice({
      id: 'rescued',
      kind: 'info',
      title: `Back to step ${step}`,
      text: `The run continues from there with ${changesText(config, changed)}.`,
    });
    if (point !== null && kept !== undefined) await forkRun(kept, point, changed);
    else await unlessUnsaved(controller, ANOTHER_RUN, () => beginAgain(controller, changed));
  } catch (error) {
    reportError('The run could not go back', error, 'The run is unchanged.');
  }
}
