/** A run that is asked for while the page still loads what it begins with. */
import { create } from 'zustand';
import { trainIfRead } from '../preflight/trainBlock.ts';
import { isOpening } from '../state/phases.ts';
import { useRun } from '../state/runStore.ts';

/** Stands in this tab's storage while the page loads itself again. */
const ASKED = 'rl-playground-start';

const useEarly = create<{ readonly waits: boolean }>(() => ({ waits: false }));

/** Whether a run begins as soon as the model is loaded. */
export const useStartWaits = (): boolean => useEarly((state) => state.waits);

const setWaits = (waits: boolean): void => useEarly.setState({ waits });

/** Resolves when the page has loaded a model, or could not. */
export function untilLoaded(): Promise<void> {
  const loaded = (): boolean => useRun.getState().snapshot.phase !== 'loading';
  return new Promise((resolve) => {
    if (loaded()) {
      resolve();
      return;
    }
    const unsubscribe = useRun.subscribe(() => {
      if (!loaded()) return;
      unsubscribe();
      resolve();
    });
  });
}

async function startWhenLoaded(): Promise<void> {
  setWaits(true);
  await untilLoaded();
  // Called off, or begun by an earlier call.
  if (!useEarly.getState().waits) return;
  setWaits(false);
  trainIfRead();
}

/** Before the page loads itself again, which a person has not asked for. @throws where storage is refused */
export function rememberStart(): void {
  if (useEarly.getState().waits) sessionStorage.setItem(ASKED, 'yes');
}

/** What was asked for before. */
export function startAsAsked(): void {
  try {
    if (sessionStorage.getItem(ASKED) === null) return;
    sessionStorage.removeItem(ASKED);
  } catch {
    // Storage is refused: the page did not load itself again.
    return;
  }
  void startWhenLoaded();
}

/** What pressing Train does where no run goes on: begins one, or while the page opens has it begin by itself, or calls that off. */
export function pressTrain(): void {
  if (!isOpening(useRun.getState().snapshot)) trainIfRead();
  else if (useEarly.getState().waits) setWaits(false);
  else void startWhenLoaded();
}
