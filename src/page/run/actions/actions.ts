/** The actions of the page's controls. A failure becomes a notice. */
import {
  defaultConfig,
  presetTask,
  type PresetName,
  type RunConfig,
  type FieldKey,
} from '@rl-playground/run/settings';
import type { ModelFiles } from '@rl-playground/engine/parts';
import { LARGE_MODEL_NOTE, largeModelSettings } from '@rl-playground/run/models';
import type { RunController } from '@rl-playground/run/session';
import { withTask, withValue } from '../form/formChanges.ts';
import { canStart } from '../state/phases.ts';
import { fieldOf, formErrors } from '../form/settings.ts';
import { addNotice, removeNotice, reportError, useOpen } from '../../ui/open/openStore.ts';
import { useForm, changeForm, FORM_NOTICE, takeForm } from '../form/formStore.ts';
import { useRun } from '../state/runStore.ts';

/** Does something with the engine. A failure becomes a notice of that title. */
export async function withController(
  title: string,
  act: (controller: RunController) => Promise<unknown> | void,
): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null) return;
  try {
    await act(controller);
    removeNotice(title);
  } catch (error) {
    reportError(title, error, 'The current run is unchanged. Try again, or Reset.');
  }
}

export function setTask(task: string): void {
  // Settings of another task would not go with a locked one.
  if (useForm.getState().classroom.locked.has('task')) return;
  changeForm((form) => withTask(form, task));
}

export function setPreset(preset: PresetName): void {
  const { modelIsOurs } = useRun.getState().snapshot;
  changeForm((form) => defaultConfig(presetTask(preset, !modelIsOurs) ?? form.task, preset));
}

export function setValue(key: FieldKey, value: RunConfig[FieldKey]): void {
  changeForm((form) => withValue(form, key, value));
}

/** Tells whether a run may begin now. A notice names settings that can't be used. */
export function ready(): boolean {
  const { snapshot } = useRun.getState();
  const { form } = useForm.getState();
  if (!canStart(snapshot)) return false;
  const errors = formErrors(form);
  if (errors.size === 0) return true;
  addNotice({
    id: FORM_NOTICE,
    kind: 'error',
    title: 'The model can’t be trained with these settings',
    text: [...errors].map(([key, message]) => `${fieldOf(key).label}: ${message}`).join('\n'),
  });
  return false;
}

/** Removes what was said of things done before: it is settled once the run goes on. Warnings and alarms stay. */
function settleNotices(): void {
  const notices = [...useOpen.getState().notices, ...useRun.getState().snapshot.notices];
  for (const { id, kind } of notices) if (kind === 'info' || kind === 'error') dismissNotice(id);
}

function begin(title: string, act: (controller: RunController, form: RunConfig) => Promise<unknown>): void {
  if (!ready()) return;
  settleNotices();
  void withController(title, (controller) => act(controller, useForm.getState().form));
}

const UNSAVED = 'unsaved-run';

/**
 * Does what ends the run on the page, and asks first where only this tab holds that run. `loses` is a sentence on how it is lost, `anyway`
 * names the button that does it all the same.
 */
export async function unlessUnsaved(
  controller: RunController,
  { loses, anyway }: { readonly loses: string; readonly anyway: string },
  act: () => Promise<unknown>,
): Promise<void> {
  removeNotice(UNSAVED);
  const { kept } = useRun.getState();
  if (controller.snapshot().phase === 'failed' || (await kept?.keepNow())) {
    await act();
    return;
  }
  addNotice({
    id: UNSAVED,
    kind: 'warning',
    title: 'This run is not saved',
    text: `The browser has no space for it, or does not store files. ${loses}: download its files first, or ${anyway.toLowerCase()}.`,
    action: {
      label: anyway,
      act: () => {
        removeNotice(UNSAVED);
        void act();
      },
    },
  });
}

export const ANOTHER_RUN = { loses: 'Another run replaces it', anyway: 'Start anyway' };

const beginRun = (): void =>
  begin('Training failed', (controller, form) => controller.train(form, 'run', true));

export function train(): void {
  const { controller, snapshot } = useRun.getState();
  if (controller === null || snapshot.phase !== 'finished' || !ready()) beginRun();
  else void unlessUnsaved(controller, ANOTHER_RUN, async () => beginRun());
}

/** Makes only the supervised updates before reinforcement. */
export function fineTune(): void {
  begin('The warm-up failed', (controller, form) => controller.train(form, 'warmUp'));
}

export function step(): void {
  begin('The step failed', (controller, form) => controller.train(form, 'step'));
}

/** Samples answers before the first step, and reports on them. */
export function preflight(): void {
  begin('The check before step 1 failed', (controller, form) => controller.look('preflight', form));
}

/** Evaluates the run on the page or, before there is one, the model that the form names. */
export function evaluateNow(): void {
  begin('The evaluation failed', (controller, form) =>
    controller.look('evaluate', useRun.getState().snapshot.config ?? form),
  );
}

export function pause(): void {
  void withController('Pausing failed', (controller) => controller.pause());
}

export function stop(): void {
  void withController('Stopping failed', (controller) => controller.stop());
}

/** Ends the run; what the browser keeps of it stays. The page asks first, by `resetRun`. */
export function reset(): Promise<void> {
  return withController('The reset failed', (controller) => controller.reset());
}

export function switchBackend(backend: 'webgpu' | 'wasm'): void {
  void withController('Switching the device failed', (controller) => controller.switchBackend(backend));
}

/** Goes on without the GPU, after it was lost, from where the run was kept. */
export function goOnWithCpu(noticeId: string): void {
  dismissNotice(noticeId);
  void withController('Continuing on the CPU failed', async (controller) => {
    await controller.switchBackend('wasm');
    const { config, step, totalSteps, phase } = controller.snapshot();
    if (phase !== 'failed' && config !== null && step < totalSteps) await controller.train(config);
  });
}

/** Loads a model for runs to begin from, or an adapter beside it. Rejects with what is wrong, and leaves the current run as it is. */
export async function adoptModel(files: ModelFiles, adapter: ModelFiles | null): Promise<void> {
  const { controller } = useRun.getState();
  if (controller === null) throw new Error('The engine has not started yet. Wait for it, then try again.');
  const settings = await controller.open({ model: files, adapter, byHand: true });
  if (settings === null) {
    suitLargeModel(controller);
    return;
  }
  const { parameterCount } = controller.snapshot();
  const large = largeModelSettings(parameterCount, { loraRank: 0 });
  takeForm((form) => ({ ...form, ...large, ...settings }));
}

/** Sets the form for a large model that was loaded. */
export function suitLargeModel(controller: RunController): void {
  const { parameterCount } = controller.snapshot();
  const changes = largeModelSettings(parameterCount, useForm.getState().form);
  if (changes === null) return;
  takeForm((form) => ({ ...form, ...changes }));
  addNotice({ id: 'large-model', kind: 'info', title: 'LoRA is on', text: LARGE_MODEL_NOTE });
}

export function dismissNotice(id: string): void {
  if (useOpen.getState().notices.some((notice) => notice.id === id)) removeNotice(id);
  else useRun.getState().controller?.dismiss(id);
}
