/** A nats-server for tests and simulations. */
import type { ServerAddress } from '@rl-playground/machines';
import {
  findNatsServer,
  HOW_TO_INSTALL,
  newToken,
  startNatsServer,
  type NatsServer,
  type ServerOptions,
} from '../natsServer.ts';

/** A server that only this machine reaches. */
export interface LocalServer extends NatsServer {
  /** The address for programs. */
  readonly address: ServerAddress;
}

/**
 * True if tests that need a nats-server have to be left out, which `npm test` reports. @throws Error if REQUIRE_NATS=1 (set by `.ci/run`)
 * forbids it.
 */
export function lacksServer(): boolean {
  if (findNatsServer() !== null) return false;
  if (process.env['REQUIRE_NATS'] === '1') throw new Error(HOW_TO_INSTALL);
  return true;
}

/** Starts a server for this machine alone, with a token of its own and on ports that the system chooses. */
export async function startLocalServer(
  options: Partial<Omit<ServerOptions, 'host' | 'port' | 'token'>> = {},
): Promise<LocalServer> {
  const token = newToken();
  const server = await startNatsServer({
    host: '127.0.0.1',
    port: 0,
    webSocketPort: null,
    token,
    store: null,
    ...options,
  });
  const scheme = options.tls ? 'tls' : 'nats';
  const address = { url: `${scheme}://127.0.0.1:${server.port}`, token, webSocket: false };
  return { ...server, address };
}
