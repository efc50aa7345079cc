/** Builds the page if needed and serves it, inside Playwright's own process, on the hosts that the tests open. */
import { ensureBuilt } from '../src/cli/build.ts';
import { serve, type ServeOptions } from '../src/cli/serve.ts';
import { ISOLATED_PORT, PLAIN_BASE, PLAIN_PORT, takeOver } from './ports.ts';

/** Answers at the port that is held for it with what a host of the page answers at a port of its own. Resolves to what ends both. */
async function answerAt(port: number, options: Omit<ServeOptions, 'port'>): Promise<() => Promise<void>> {
  const server = takeOver(port);
  const host = await serve({ port: 0, ...options });
  server.on('request', (request, response) => host.server.emit('request', request, response));
  return async () => {
    server.closeAllConnections();
    await Promise.all([host.close(), new Promise((resolve) => server.close(resolve))]);
  };
}

export default async function startHosts(): Promise<() => Promise<void>> {
  await ensureBuilt();
  const ends = [
    await answerAt(ISOLATED_PORT, {}),
    await answerAt(PLAIN_PORT, { isolated: false, base: PLAIN_BASE }),
  ];
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}
