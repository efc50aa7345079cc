/** A nats-server for tests and simulations. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@rl-playground/base/errors';
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
  /** Ends the server as an accident would. */
  kill(): Promise<void>;
  /** Starts the same server again after `kill`, with its data and on the same ports. */
  restart(): Promise<void>;
}

/** The milliseconds before a server that starts again checks once more whether its port is free, and the number of checks. */
const PORT_AGAIN_AFTER = 100;
const MOST_LOOKS = 600;

/**
 * True if tests that need a nats-server have to be left out, which `npm test` reports. @throws Error if REQUIRE_NATS=1 (set by `.ci/run`)
 * forbids it.
 */
export function lacksServer(): boolean {
  if (findNatsServer() !== null) return false;
  if (process.env['REQUIRE_NATS'] === '1') throw new Error(HOW_TO_INSTALL);
  return true;
}

/** Starts again. Somebody else may have got the port meanwhile, for as long as a connection takes. */
async function startedAgain(options: ServerOptions): Promise<NatsServer> {
  for (let looks = 1; ; looks++)
    try {
      return await startNatsServer(options);
    } catch (error) {
      if (looks === MOST_LOOKS || !messageOf(error).includes('address already in use')) throw error;
      await sleep(PORT_AGAIN_AFTER);
    }
}

/** Starts a server for this machine alone, by default with a token of its own, on ports that the system chooses. */
export async function startLocalServer(
  options: Partial<Omit<ServerOptions, 'host' | 'port'>> = {},
): Promise<LocalServer> {
  const { token = newToken(), tls } = options;
  const folder = mkdtempSync(join(tmpdir(), 'local-server-'));
  const wanted: ServerOptions = {
    host: '127.0.0.1',
    port: 0,
    webSocketPort: null,
    ...options,
    token,
    store: options.store ?? folder,
  };
  let running = await startNatsServer(wanted);
  const { port, webSocketPort, ended } = running;
  return {
    port,
    webSocketPort,
    ended,
    token,
    address: { url: `${tls ? 'tls' : 'nats'}://127.0.0.1:${port}`, token, webSocket: false },
    kill: () => running.close('SIGKILL'),
    async restart() {
      running = await startedAgain({ ...wanted, port, webSocketPort });
    },
    async close() {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
