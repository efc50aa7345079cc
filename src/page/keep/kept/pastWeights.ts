/** Whether this browser keeps the weights of past steps, which a person may say. */
import { create } from 'zustand';
import { reportError } from '../../run/actions/actions.ts';
import { useApp } from '../../run/state/store.ts';
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

export const usePastWeights = create<{ readonly on: boolean }>(() => ({ on: isWanted() }));

/** Where not, those that are kept are deleted at once. */
export async function setPastWeights(on: boolean): Promise<void> {
  usePastWeights.setState({ on });
  try {
    if (on) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, 'off');
  } catch {
    // Storage is blocked: it holds until the page is closed.
  }
  await useApp
    .getState()
    .controller?.kept.keepPastWeights(on)
    .catch((error: unknown) =>
      reportError('The weights of past steps were not deleted', error, 'Try again, or delete the run.'),
    );
  await listKept();
}
