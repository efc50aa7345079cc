/**
 * Where the tests find the built page: ports that Playwright's main process takes as it reads its configuration, and holds until its hosts answer there,
 * so that nobody else gets them meanwhile. Its workers inherit the numbers.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** By their ports, in the process that holds them. */
const held = new Map<number, Server>();

async function inheritedPort(variable: string): Promise<number> {
  const inherited = process.env[variable];
  if (inherited !== undefined) return Number(inherited);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  // A process that only lists tests ends all the same.
  server.unref();
  const { port } = server.address() as AddressInfo;
  held.set(port, server);
  process.env[variable] = String(port);
  return port;
}

/** Who holds the port; from then on it is theirs to use and to close. @throws where this process does not hold it */
export function takeOver(port: number): Server {
  const server = held.get(port);
  if (server === undefined) throw new Error(`Port ${port} is not held by this process.`);
  held.delete(port);
  return server.ref();
}

/** With the headers that threads need. */
export const ISOLATED_PORT = await inheritedPort('RL_PLAYGROUND_E2E_ISOLATED_PORT');
/** A plain static host, the page in a folder of it. */
export const PLAIN_PORT = await inheritedPort('RL_PLAYGROUND_E2E_PLAIN_PORT');
export const PLAIN_BASE = '/sub/dir/';
