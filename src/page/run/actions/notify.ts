/** Notifies the end of a run, for people who have asked for it and only while they look elsewhere. */
import type { RunPhase } from '@rl-playground/run/session';
import { PHASE_LABELS } from '../state/phases.ts';
import { setNotifying, type Notifying, useRun } from '../state/runStore.ts';

const KEY = 'rl-playground-notify';

function kept(): Notifying {
  try {
    const wanted = localStorage.getItem(KEY) === 'on' && 'Notification' in window;
    return wanted && Notification.permission === 'granted' ? 'on' : 'off';
  } catch {
    // Storage is blocked.
    return 'off';
  }
}

setNotifying(kept());

function set(notifying: Notifying): void {
  setNotifying(notifying);
  try {
    if (notifying === 'on') localStorage.setItem(KEY, 'on');
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is blocked: it holds until the page is closed.
  }
}

/** Turns notifications on or off. It is called at a click, because browsers ask for permission only then. */
export async function toggleNotifying(): Promise<void> {
  if (useRun.getState().notifying === 'on') return set('off');
  if (!('Notification' in window)) return set('refused');
  set((await Notification.requestPermission()) === 'granted' ? 'on' : 'refused');
}

const OVER: ReadonlySet<RunPhase> = new Set(['finished', 'failed']);

async function notify(phase: RunPhase, text: string): Promise<void> {
  const title = `RL Playground: ${PHASE_LABELS[phase].toLowerCase()}`;
  const options = { body: text, tag: 'rl-playground-run', icon: './favicon.svg' };
  // Phones show only those of a service worker.
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  if (registration?.active) await registration.showNotification(title, options);
  else new Notification(title, options).addEventListener('click', () => window.focus());
}

/** Notifies the end of each run from now on. */
export function sayWhenDone(): void {
  useRun.subscribe(({ snapshot }, { snapshot: before }) => {
    if (snapshot.phase === before.phase || !OVER.has(snapshot.phase) || before.phase === 'loading') return;
    const elsewhere = document.visibilityState === 'hidden' || !document.hasFocus();
    if (useRun.getState().notifying !== 'on' || !elsewhere) return;
    const { step, totalSteps, phase } = snapshot;
    void notify(phase, `Step ${step} of ${totalSteps}.`).catch(() => undefined);
  });
}
