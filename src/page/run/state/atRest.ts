import type { RunController } from '../../../run/types.ts';
import { isBusy } from './phases.ts';

/** Resolves when nothing is under way; the current step ends first. */
export function atRest(controller: RunController): Promise<void> {
  if (!isBusy(controller.snapshot().phase)) return Promise.resolve();
  return new Promise((resolve) => {
    const leave = controller.subscribe(() => {
      if (isBusy(controller.snapshot().phase)) return;
      leave();
      resolve();
    });
    controller.pause();
  });
}
