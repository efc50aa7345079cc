/** Keeps the screen, and with it the machine, awake while a run is at work. */
import { isBusy } from '../state/phases.ts';
import { useRun } from '../state/runStore.ts';

/** Keeps it awake from now on. Where the browser has no wake locks or refuses one, the run goes on without. */
export function stayAwake(): void {
  if (!('wakeLock' in navigator)) return;
  let held: Promise<WakeLockSentinel | null> | null = null;
  const settle = (): void => {
    const wanted = isBusy(useRun.getState().snapshot.phase) && document.visibilityState === 'visible';
    if (wanted && held === null) held = navigator.wakeLock.request('screen').catch(() => null);
    if (!wanted && held !== null) {
      void held.then((lock) => lock?.release());
      held = null;
    }
  };
  useRun.subscribe(settle);
  // The browser takes the lock of a tab that nobody sees.
  document.addEventListener('visibilitychange', settle);
  settle();
}
