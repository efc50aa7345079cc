/** Builds the page if needed and serves it, inside Playwright's own process, on the hosts that the tests open. */
import { ensureBuilt } from '../cli/build.ts';
import { serve } from '../cli/serve.ts';
import { ISOLATED_PORT, PLAIN_BASE, PLAIN_PORT } from './ports.ts';

export default async function startHosts(): Promise<() => Promise<void>> {
  await ensureBuilt();
  const hosts = [
    await serve({ port: ISOLATED_PORT }),
    await serve({ port: PLAIN_PORT, isolated: false, base: PLAIN_BASE }),
  ];
  return async () => {
    await Promise.all(hosts.map((host) => host.close()));
  };
}
