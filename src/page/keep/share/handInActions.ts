/** Writes a finished run as a hand-in. */
import { computationOf } from '@rl-playground/run/environment/computation';
import { writeHandIn } from '@rl-playground/run/handIn';
import { customTasksOf } from '@rl-playground/run/data';
import type { RunSnapshot } from '@rl-playground/run/session';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { useRun } from '../../run/state/runStore.ts';

/** The name of the page's backend, in the words that joining machines use. */
export const computation = ({ backend }: RunSnapshot): string => computationOf(backend?.line ?? '');

/** The reason why the run can't be handed in. */
export function notToHandIn({ phase, config, metrics, modelIsOurs }: RunSnapshot): string | null {
  if (config === null || metrics.length === 0) return 'There is no run yet. Train one first.';
  if (phase !== 'finished' && phase !== 'stopped') return 'The run has to end first.';
  if (!modelIsOurs)
    return 'The run started from a loaded model, which the file does not include. Hand in its “Run directory” from the Export menu instead.';
  return null;
}

export function saveHandIn(learner: string): void {
  const { controller } = useRun.getState();
  if (controller === null) return;
  const snapshot = controller.snapshot();
  const { config, metrics, evaluations } = snapshot;
  if (config === null) return;
  const text = writeHandIn(learner, computation(snapshot), {
    config,
    customTasks: customTasksOf(config),
    metrics,
    evaluations,
  });
  const name = learner.replaceAll(/[^\p{L}\p{N}-]+/gu, '-').replaceAll(/^-|-$/g, '');
  saveFile({
    filename: `hand-in-${name === '' ? config.task : name}.json`,
    blob: new Blob([text], { type: 'application/json' }),
  });
}
