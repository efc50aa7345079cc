/** Has the service worker keep the page, so that it opens without a network from the next visit on. */
import { SERVICE_WORKER } from './isolate.ts';

/** The mark on the root element once everything is kept, for tests. */
const MARK = 'offline';

export async function keepOffline(): Promise<void> {
  if (!window.isSecureContext || !('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(SERVICE_WORKER);
    // Never ready where registering did nothing.
    if ((await navigator.serviceWorker.getRegistration()) === undefined) return;
    const { active } = await navigator.serviceWorker.ready;
    const used = performance.getEntriesByType('resource').map(({ name }) => name);
    const { port1, port2 } = new MessageChannel();
    const kept = new Promise<boolean>((resolve) => {
      port1.addEventListener('message', ({ data }) => resolve(data === true));
      port1.start();
    });
    active?.postMessage(used, [port2]);
    if (await kept) document.documentElement.dataset[MARK] = 'kept';
  } catch {
    // The browser refuses it, or has no room: the page works as long as there is a network.
  }
}
