/**
 * Threads need a page that is cross-origin isolated, by two headers that a static host does not send. There a service worker
 * (serviceWorker.ts) answers with the host's files and these headers, from the first reload on.
 */

import { stretched } from '../address/address.ts';

/** Beside the page. */
export const SERVICE_WORKER = './serviceWorker.js';

/** Stands in this tab's storage from the reload on, so that there is never a second one. */
const RELOADED = 'rl-playground-isolated';
/** Milliseconds that the service worker may take to start. */
const PATIENCE = 5000;

/** Whether the worker starts; false where the browser refuses service workers, or takes too long. */
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

/** Resolves to true where the page is about to be loaded again, isolated; to false where it is to work without threads. */
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
