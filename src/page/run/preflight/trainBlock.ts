/** The reason why Train can't be pressed, and its remedies. */
import { defaultConfig, type FieldKey, type RunConfig } from '@rl-playground/run/settings';
import type { RunController, RunSnapshot } from '@rl-playground/run/session';
import type { RunProblem } from '@rl-playground/run/data';
import { findTask, type TaskDataset } from '@rl-playground/tasks/parts';
import { FIRST_TASK } from '../address/address.ts';
import { setTask, step, train } from '../actions/actions.ts';
import { showSetting } from '../controls/settingPlaces.ts';
import { touchesLocked } from '../form/locks.ts';
import { chooseModel, neededModel } from '../form/task.ts';
import { fieldOf, formErrors, usualValue } from '../form/settings.ts';
import { canStart } from '../state/phases.ts';
import { setOpen, addNotice } from '../../ui/open/openStore.ts';
import { useForm, changeForm } from '../form/formStore.ts';
import { usePlan } from '../plan/usePlan.ts';
import { trainAnyway, useRun } from '../state/runStore.ts';

interface Mend {
  readonly label: string;
  readonly act: () => void;
  /** The settings that it changes. */
  readonly sets?: readonly FieldKey[];
}

export interface TrainBlock {
  readonly reason: string;
  readonly mends: readonly Mend[];
}

const overrideKey = ({ task, taskConfig, mixture }: RunConfig, modelName: string | null): string =>
  JSON.stringify([task, taskConfig, mixture, modelName]);

/** The form with the usual value of each setting that is wrong. */
export function withUsualValues(form: RunConfig, wrong: readonly FieldKey[]): RunConfig {
  const mended = { ...form, ...Object.fromEntries(wrong.map((key) => [key, usualValue(form, key)])) };
  // A rule between two settings may break where one of them alone goes back.
  return formErrors(mended).size === 0 ? mended : defaultConfig(form.task, form.preset);
}

function invalidSettings(errors: ReadonlyMap<FieldKey, string>): TrainBlock | null {
  const wrong = [...errors.keys()];
  const [first] = wrong;
  if (first === undefined) return null;
  const names = wrong.map((key) => `“${fieldOf(key).label}”`).join(', ');
  return {
    reason:
      wrong.length === 1
        ? `The setting ${names} has a value that can’t be used.`
        : `These settings have values that can’t be used: ${names}.`,
    mends: [
      { label: 'Show it', act: () => showSetting(first) },
      {
        label: errors.size === 1 ? 'Use the usual value' : 'Use the usual values',
        act: () => changeForm((now) => withUsualValues(now, wrong)),
        sets: wrong,
      },
    ],
  };
}

function largerModel(form: RunConfig): Mend {
  const task = findTask(form.task);
  const label = chooseModel((task && neededModel(task, false)) ?? 'larger model');
  return { label, act: () => setOpen('models') };
}

const usualModel: Mend = {
  label: 'Use the task’s own model',
  act: () => changeForm((form) => withUsualValues(form, ['model'])),
  sets: ['model'],
};

function mendsOf({ cause, settings }: RunProblem, form: RunConfig, modelName: string | null): Mend[] {
  const another: Mend = {
    label: `Choose ${findTask(FIRST_TASK)?.title ?? FIRST_TASK}`,
    act: () => setTask(FIRST_TASK),
    sets: ['task'],
  };
  const dataset = findTask(form.task)?.dataset;
  const load =
    dataset !== undefined && dataset.counts() === null
      ? [{ label: 'Load its rows', act: () => void loadRows(dataset) }]
      : [];
  switch (cause) {
    case 'task':
      return [another, { label: 'Make a task…', act: () => setOpen('ownTasks'), sets: ['task'] }];
    case 'rows':
      return [...load, another];
    case 'small':
      return [largerModel(form), ...load, another];
    case 'model':
      return [{ ...largerModel(form), label: 'Load it…' }, usualModel];
    case 'unfit':
      return [usualModel];
    case 'unread':
      return [
        largerModel(form),
        { label: 'Train anyway', act: () => trainAnyway(overrideKey(form, modelName)) },
      ];
    case 'long':
      return [
        ...(form.task === FIRST_TASK ? [] : [another]),
        { ...largerModel(form), label: 'Choose another model…' },
      ];
    case 'room': {
      const { maxTokens = form.maxTokens } = settings ?? {};
      const act = (): void => changeForm((now) => ({ ...now, maxTokens }));
      return [{ label: `Set tokens per answer to ${maxTokens}`, act, sets: ['maxTokens'] }];
    }
    case 'reward':
      return [{ label: 'Load it…', act: () => showSetting('rewardModel') }];
    case undefined:
      return [];
  }
}

async function loadRows(dataset: TaskDataset): Promise<void> {
  const { loadFromHub } = await import('../dataset/datasetRows.ts');
  await loadFromHub(dataset, dataset.id);
}

/** The reason why Train can't be pressed, or null. `override` names a task that is trained all the same. */
export function trainBlock(
  form: RunConfig,
  snapshot: Pick<RunSnapshot, 'phase' | 'modelName'>,
  controller: { readonly start: Pick<RunController['start'], 'problem'> } | null,
  override: string | null,
): TrainBlock | null {
  if (!canStart(snapshot)) return null;
  const errors = formErrors(form);
  if (errors.size > 0) return invalidSettings(errors);
  const problem = controller?.start.problem(form) ?? null;
  if (problem === null) return null;
  const { cause, title, text } = problem;
  if (cause === 'unread' && override === overrideKey(form, snapshot.modelName)) return null;
  return {
    reason: `${title}. ${text.split('. ')[0] ?? ''}.`.replace('..', '.'),
    mends: mendsOf(problem, form, snapshot.modelName),
  };
}

/** Shows a notice where the model can't read the task, which no run would refuse. */
function saysUnread(): boolean {
  const { snapshot, controller } = useRun.getState();
  const { form } = useForm.getState();
  const block = trainBlock(form, snapshot, controller, useRun.getState().trainedAnyway);
  if (block === null || controller?.start.problem(form)?.cause !== 'unread') return false;
  addNotice({ id: 'train-block', kind: 'warning', title: 'Nothing was trained', text: block.reason });
  return true;
}

/** Trains as the button does, for a key or a command. */
export function trainIfRead(): void {
  if (!saysUnread()) train();
}

export function stepIfRead(): void {
  if (!saysUnread()) step();
}

export function useTrainBlock(): TrainBlock | null {
  const form = useForm((state) => state.form);
  const controller = useRun((state) => state.controller);
  const phase = useRun((state) => state.snapshot.phase);
  const modelName = useRun((state) => state.snapshot.modelName);
  // Rows and tasks that have come.
  useForm((state) => state.customTasks);
  useForm((state) => state.dataset.provided);
  useForm((state) => state.reward.ready);
  const override = useRun((state) => state.trainedAnyway);
  const locked = useForm((state) => state.classroom.locked);
  // A plan counts the tokens of prompts, and draws this again.
  usePlan();
  const block = trainBlock(form, { phase, modelName }, controller, override);
  return block && { ...block, mends: block.mends.filter(({ sets = [] }) => !touchesLocked(sets, locked)) };
}
