/** Where the tests find the built page: free ports, chosen by Playwright's main process, which its workers inherit. */
import { createServer } from 'node:net';

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

async function inheritedPort(variable: string): Promise<number> {
  process.env[variable] ??= String(await freePort());
  return Number(process.env[variable]);
}

/** With the headers that threads need. */
export const ISOLATED_PORT = await inheritedPort('RL_PLAYGROUND_E2E_ISOLATED_PORT');
/** A plain static host, the page in a folder of it. */
export const PLAIN_PORT = await inheritedPort('RL_PLAYGROUND_E2E_PLAIN_PORT');
export const PLAIN_BASE = '/sub/dir/';
