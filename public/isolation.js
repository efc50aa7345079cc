/**
 * Service worker for hosts that send no headers of the page's choice: answers with the host's own files and the two headers that make the
 * page cross-origin isolated, so that it may have threads. It keeps nothing. src/app/isolation/isolate.ts registers it.
 */
addEventListener('install', () => self.skipWaiting());
addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

addEventListener('fetch', (event) => {
  const { request } = event;
  // What goes to other servers is between them and the page's policy.
  if (new URL(request.url).origin !== self.location.origin) return;
  // Asked of the HTTP cache alone, as developer tools do; a worker may not pass that on.
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return;
  event.respondWith(
    fetch(request).then((response) => {
      // Redirects, which the browser follows itself.
      if (response.status === 0) return response;
      const headers = new Headers(response.headers);
      headers.set('Cross-Origin-Opener-Policy', 'same-origin');
      headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
      headers.set('Cross-Origin-Resource-Policy', 'same-origin');
      const { status, statusText, body } = response;
      return new Response(body, { status, statusText, headers });
    }),
  );
});
