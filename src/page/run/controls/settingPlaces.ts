/** The place of each setting: on the page itself or in the drawer. */
import { flushSync } from 'react-dom';
import type { FieldKey, RunConfig } from '@rl-playground/run/settings';
import { goTo } from '../../ui/open/places.ts';
import { openDrawer, showPlace, showSettings } from '../../ui/open/openStore.ts';
import { useForm } from '../form/formStore.ts';

const ELSEWHERE: readonly FieldKey[] = [
  'task',
  'preset',
  'model',
  'loss',
  'taskConfig',
  'mixture',
  'numSteps',
  'learningRate',
  'rolloutsPerProblem',
  'warmStartSteps',
  'warmStartLearningRate',
  'warmStartBatch',
  'warmStartData',
];

/** The settings with a place of their own on the page. The number of problems in a step is one of them, or the setting that decides it. */
export function placedElsewhere(form: RunConfig): ReadonlySet<FieldKey> {
  return new Set([...ELSEWHERE, form.oneProblemPerGenerator ? 'numGenerators' : 'problemsPerStep']);
}

export const controlOf = (key: FieldKey): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-setting="${key}"]`);

/** Brings the control of a setting into view, with the keyboard's focus, and opens the fold or the drawer that it is in. */
export function showSetting(key: FieldKey): void {
  flushSync(() => showSettings(true));
  showPlace('train');
  const control = controlOf(key);
  if (control !== null) return goTo(control);
  const fold = document.querySelector<HTMLDetailsElement>('[data-settings-fold] > details');
  if (fold === null || !placedElsewhere(useForm.getState().form).has(key)) return openDrawer(key);
  const drawn = new MutationObserver(() => {
    const found = controlOf(key);
    if (found === null) return;
    drawn.disconnect();
    goTo(found);
  });
  drawn.observe(fold, { childList: true, subtree: true });
  fold.open = true;
}
