/**
 * The page's service worker. It answers with the host's own files and the two headers that make the page cross-origin isolated, so that it
 * may have threads where the host sends none; and it keeps the page, so that it opens without a network from the second visit on.
 *
 * Kept are the files of the page itself (a list that the build writes, all of one version or none) and, of the rest, what a page has used:
 * a model is not fetched because it could be. Who is online gets the host's newest page.
 */
import { PrecacheController } from 'workbox-precaching/PrecacheController.js';

/** The parts of a service worker's scope and events that are used here. The DOM's types, which the page needs, do not know them. */
interface WorkerEvent extends Event {
  readonly request: Request;
  readonly data: unknown;
  readonly ports: readonly MessagePort[];
  readonly notification: Notification;
  waitUntil(work: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}
type EventName = 'install' | 'activate' | 'fetch' | 'message' | 'notificationclick';
interface Scope {
  readonly __WB_MANIFEST: readonly { readonly url: string; readonly revision: string | null }[];
  readonly location: Location;
  readonly registration: { readonly active: object | null };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window' }): Promise<readonly { focus(): Promise<unknown> }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: EventName, listener: (event: WorkerEvent) => void): void;
}
declare const self: Scope;

/** The cache of models, and of what runs reward models, that a page has used. */
const USED = 'rl-playground-used';
const KEPT_WHEN_USED = /\/(models|onnxruntime)\/[^?]*$|\/assets\/rewardWorker-[^?]*$/;

const page = new PrecacheController();
page.addToCacheList(self.__WB_MANIFEST.map(({ url, revision }) => ({ url, revision })));
type InstallEvent = Parameters<typeof page.install>[0];

/** An event that lets Workbox store files outside of an installation, when the page says so. */
const asInstallation = (event: WorkerEvent): InstallEvent =>
  ({
    type: 'install',
    waitUntil: (work: Promise<unknown>) => event.waitUntil(work),
  }) as unknown as InstallEvent;

self.addEventListener('install', (event) => {
  void self.skipWaiting();
  // At a first visit nobody waits for the whole page: it is kept when the page is at rest. A new version replaces the old one at once.
  if (self.registration.active !== null) event.waitUntil(page.install(asInstallation(event)));
});
self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim());
  void page.activate(asInstallation(event));
});

/** The same answer with the headers that isolate the page. Redirects, which the browser follows itself, stay as they are. */
function isolated(response: Response): Response {
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  const { status, statusText, body } = response;
  return new Response(body, { status, statusText, headers });
}

async function answer(request: Request): Promise<Response> {
  const isPage = request.mode === 'navigate';
  // Files of the page belong to its version; the page itself may be a newer one.
  const kept = isPage ? undefined : await page.matchPrecache(request);
  if (kept) return kept;
  try {
    const response = await fetch(request);
    if (response.status === 200 && request.method === 'GET' && KEPT_WHEN_USED.test(request.url)) {
      const cache = await caches.open(USED);
      await cache.put(request.url, response.clone());
    }
    return response;
  } catch (error) {
    const offline = isPage ? await page.matchPrecache('index.html') : await caches.match(request.url);
    if (offline === undefined) throw error;
    return offline;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  // What goes to other servers is between them and the page's policy.
  if (new URL(request.url).origin !== self.location.origin) return;
  // Asked of the HTTP cache alone, as developer tools do; a worker may not pass that on.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return;
  event.respondWith(answer(request).then(isolated));
});

/** Keeps the page, and the files that it used before this worker saw its requests. */
async function keep(event: WorkerEvent): Promise<void> {
  await page.install(asInstallation(event));
  const cache = await caches.open(USED);
  const used = Array.isArray(event.data) ? event.data.map(String) : [];
  for (const url of used.filter((each) => KEPT_WHEN_USED.test(each)))
    if ((await cache.match(url)) === undefined) await cache.add(url);
}

self.addEventListener('message', (event) => {
  const [port] = event.ports;
  const kept = keep(event).then(
    () => port?.postMessage(true),
    () => port?.postMessage(false),
  );
  event.waitUntil(kept);
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(
    self.clients.matchAll({ type: 'window' }).then(async ([first]) => {
      await first?.focus();
    }),
  );
});
