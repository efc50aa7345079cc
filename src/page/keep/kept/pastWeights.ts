/** Whether this browser keeps the weights of past steps, which a person may say. */
import { useRun } from '../../run/state/runStore.ts';
import { reportError } from '../../ui/open/openStore.ts';
import { showPastWeights } from './keptStore.ts';
import { listKept } from './keptActions.ts';

const STORED = 'rl-playground-past-weights';

function isWanted(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    // Storage is blocked.
    return true;
  }
}

/** What was said before. */
export const readPastWeights = (): void => showPastWeights(isWanted());

/** Where not, those that are kept are deleted at once. */
export async function setPastWeights(on: boolean): Promise<void> {
  showPastWeights(on);
  try {
    if (on) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, 'off');
  } catch {
    // Storage is blocked: it holds until the page is closed.
  }
  await useRun
    .getState()
    .kept?.keepPastWeights(on)
    .catch((error: unknown) =>
      reportError('The weights of past steps were not deleted', error, 'Try again, or delete the run.'),
    );
  await listKept();
}
