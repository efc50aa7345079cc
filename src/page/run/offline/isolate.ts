/**
 * Isolates the page, because threads need two headers that a static host does not send. A service worker (serviceWorker.ts) adds these
 * headers to the host's files from the first reload on.
 */

import { stretched } from '../address/address.ts';

export const SERVICE_WORKER = './serviceWorker.js';

/** The key in this tab's storage that prevents a second reload. */
const RELOADED = 'rl-playground-isolated';
/** Milliseconds that the service worker may take to start. */
const PATIENCE = 5000;

/** Resolves to true when the worker has started, and to false where the browser refuses it or it takes too long. */
async function starts(): Promise<boolean> {
  const { serviceWorker } = navigator;
  await serviceWorker.register(SERVICE_WORKER);
  const registration = await serviceWorker.getRegistration();
  const worker = registration?.installing ?? registration?.waiting ?? registration?.active;
  if (!worker) return false;
  return new Promise((resolve) => {
    const look = (): void => {
      if (worker.state === 'activated') resolve(true);
      if (worker.state === 'redundant') resolve(false);
    };
    worker.addEventListener('statechange', look);
    setTimeout(() => resolve(false), stretched(PATIENCE));
    look();
  });
}

/** Resolves to true if the page is about to be loaded again, isolated, and to false if it has to work without threads. */
export async function reloadsIsolated(): Promise<boolean> {
  if (!window.isSecureContext || !('serviceWorker' in navigator)) return false;
  try {
    if (sessionStorage.getItem(RELOADED) !== null) return false;
    if (!(await starts())) return false;
    sessionStorage.setItem(RELOADED, 'yes');
  } catch {
    // Service workers or storage are refused.
    return false;
  }
  window.location.reload();
  return true;
}
