/**
 * Where the tests find the built page: ports that Playwright's main process takes as it reads its configuration, and holds until its hosts answer there,
 * so that nobody else gets them meanwhile. Its workers inherit the numbers.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The servers that hold a port for this process, by port. */
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

/** Hands over the server that holds the port: the caller uses and closes it. @throws Error if this process does not hold the port */
export function takeOver(port: number): Server {
  const server = held.get(port);
  if (server === undefined) throw new Error(`Port ${port} is not held by this process.`);
  held.delete(port);
  return server.ref();
}

/** The port of the host that sends the headers that threads need. */
export const ISOLATED_PORT = await inheritedPort('RL_PLAYGROUND_E2E_ISOLATED_PORT');
/** The port of a plain static host, which has the page in a folder. */
export const PLAIN_PORT = await inheritedPort('RL_PLAYGROUND_E2E_PLAIN_PORT');
export const PLAIN_BASE = '/sub/dir/';
