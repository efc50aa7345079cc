/** A nats-server of a test file's own, at which pages meet. */
import { freePort, lacksServer, newToken, startNatsServer, type NatsServer } from '../cli/natsServer.ts';
import { test } from './fixtures.ts';

export interface Hub {
  readonly token: string;
  /** Of its WebSocket; known, as the server, once the tests of the file begin. */
  readonly port: () => number;
  readonly server: () => NatsServer;
}

/** Starts one for the tests of the file that asks, which are skipped where this machine has none. */
export function useHub(): Hub {
  test.skip(() => lacksServer(), 'there is no nats-server on this machine');
  const token = newToken();
  const started: { port: number; server: NatsServer }[] = [];
  test.beforeAll(async () => {
    const port = await freePort();
    const options = { host: '127.0.0.1', port: await freePort(), webSocketPort: port, token, store: null };
    started.push({ port, server: await startNatsServer(options) });
  });
  test.afterAll(() => started.at(-1)?.server.close());
  const now = (): { port: number; server: NatsServer } => {
    const [last] = started.slice(-1);
    if (last === undefined) throw new Error('The hub has not started yet.');
    return last;
  };
  return { token, port: () => now().port, server: () => now().server };
}
