/** A nats-server as runs and machines need it: found on this machine, configured, started, and ended. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@rl-playground/base/errors';
import type { ServerAddress } from '@rl-playground/machines';

const GIGABYTE = 2 ** 30;
/** Milliseconds until a server that has neither begun nor ended counts as broken. */
const START_WITHIN = 60_000;
/** Milliseconds until a server that starts again looks once more whether its port is free, and how often it does. */
const PORT_AGAIN_AFTER = 100;
const MOST_LOOKS = 600;

export interface ServerOptions {
  /** Where it listens. */
  readonly host: string;
  /** 0: as the system chooses. */
  readonly port: number;
  /** For pages, 0 as above; null for none. */
  readonly webSocketPort: number | null;
  readonly token: string;
  /** Folder that keeps queues and weights; null for one that is deleted at the end. */
  readonly store: string | null;
  /** Bytes that it may take. */
  readonly storeLimit?: number;
  /** PEM files with which it speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

type Ports = Pick<ServerOptions, 'port' | 'webSocketPort'>;

export interface NatsServer extends Ports {
  readonly token: string;
  /** Rejects when it ends by itself. */
  readonly ended: Promise<never>;
  /** Ends it as an accident does. */
  kill(): Promise<void>;
  /** After `kill`: the same server with what it kept, on the same ports. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** One that only this machine reaches. */
export interface LocalServer extends NatsServer {
  /** For programs. */
  readonly address: ServerAddress;
}

/** Letters and digits alone, so that it can be typed and needs no escape in an address. */
export function newToken(): string {
  return randomBytes(18).toString('base64url').replaceAll(/[-_]/g, '0');
}

/** The command that starts the server: NATS_SERVER, or the one on the path; null where there is none. */
export function findNatsServer(): string | null {
  const command = process.env['NATS_SERVER'] ?? 'nats-server';
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0 ? command : null;
}

export const HOW_TO_INSTALL =
  'There is no nats-server on this machine. Install one: apt-get install nats-server (Debian, Ubuntu), brew install nats-server (macOS), winget install NATSAuthors.NATSServer (Windows), or a file of https://github.com/nats-io/nats-server/releases whose path you put into NATS_SERVER.';

/** Whether tests that need a nats-server have to be left out, which `npm test` says. @throws where REQUIRE_NATS=1 (set by `.ci/run`) forbids it. */
export function lacksServer(): boolean {
  if (findNatsServer() !== null) return false;
  if (process.env['REQUIRE_NATS'] === '1') throw new Error(HOW_TO_INSTALL);
  return true;
}

/**
 * What `nats-server -c` reads. The limits: large enough for weights and answers, small enough that a stranger can't fill memory. The times: so long that
 * no machine is too slow to say who it is, or to read what it is sent.
 */
function serverConfig(
  { host, port, webSocketPort, token, storeLimit = 20 * GIGABYTE, tls = null }: ServerOptions,
  store: string,
): string {
  /** So the configuration asks the system for a port. */
  const portText = (wanted: number): number => (wanted === 0 ? -1 : wanted);
  const secure =
    tls === null
      ? null
      : `tls { cert_file: ${JSON.stringify(tls.cert)}, key_file: ${JSON.stringify(tls.key)}, timeout: 60 }`;
  const webSocket =
    webSocketPort === null
      ? ''
      : `websocket { host: ${JSON.stringify(host)}, port: ${portText(webSocketPort)}, ${secure ?? 'no_tls: true'} }`;
  return `
host: ${JSON.stringify(host)}
port: ${portText(port)}
authorization { token: ${JSON.stringify(token)}, timeout: 60 }
write_deadline: "60s"
max_payload: 8MB
max_pending: 64MB
max_connections: 2048
${secure ?? ''}
jetstream { store_dir: ${JSON.stringify(store)}, max_memory_store: 64MB, max_file_store: ${storeLimit} }
${webSocket}
`;
}

/** The ports that it says it listens at. */
function portsIn(said: string, { port, webSocketPort }: Ports): Ports {
  const saidFor = (what: RegExp): number => {
    const [, found] = what.exec(said) ?? [];
    if (found === undefined) throw new Error(`nats-server did not say its port:\n${said}`);
    return Number(found);
  };
  return {
    port: port === 0 ? saidFor(/for client connections on .*:(\d+)$/m) : port,
    webSocketPort: webSocketPort === 0 ? saidFor(/for websocket clients on .*:(\d+)$/m) : webSocketPort,
  };
}

/** A process that has said that it is ready. */
interface Running {
  readonly child: ChildProcess;
  readonly ports: Ports;
}

/** `ended` hears of an end that comes later. @throws where it ends before it is ready, with its own words. */
async function launched(
  command: string,
  config: string,
  wanted: Ports,
  ended: (child: ChildProcess, error: Error) => void,
): Promise<Running> {
  const child = spawn(command, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let [said, isReady] = ['', false];
  const limit = new AbortController();
  const words = (): string => said.trim().split('\n').slice(-3).join('\n');
  const ready = new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (!isReady && !said.includes('Server is ready')) return;
      isReady = true;
      resolve(said);
      said = said.slice(-2000);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      const error = new Error(`nats-server ended with code ${code}:\n${words()}`);
      reject(error);
      if (isReady) ended(child, error);
    });
  });
  const late = sleep(START_WITHIN, undefined, { signal: limit.signal }).then((): never => {
    throw new Error(`nats-server was not ready within ${START_WITHIN / 1000} s:\n${words()}`);
  });
  try {
    return { child, ports: portsIn(await Promise.race([ready, late]), wanted) };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    limit.abort();
  }
}

/** Resolves when it is ready. @throws where there is none on this machine, or it does not start, with its own words. */
export async function startNatsServer(options: ServerOptions): Promise<NatsServer> {
  const command = findNatsServer();
  if (command === null) throw new Error(HOW_TO_INSTALL);
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-hub-'));
  const store = options.store ?? join(folder, 'store');
  mkdirSync(store, { recursive: true });
  const config = join(folder, 'server.conf');
  let fail: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => (fail = reject));
  ended.catch(() => undefined);
  const expected = new Set<ChildProcess>();
  const start = (wanted: Ports): Promise<Running> => {
    writeFileSync(config, serverConfig({ ...options, ...wanted }, store), { mode: 0o600 });
    return launched(command, config, wanted, (child, error) => expected.has(child) || fail(error));
  };
  /** Somebody else may have got the port meanwhile, for as long as a connection takes. */
  const startAgain = async (ports: Ports): Promise<Running> => {
    for (let looks = 1; ; looks++)
      try {
        return await start(ports);
      } catch (error) {
        if (looks === MOST_LOOKS || !messageOf(error).includes('address already in use')) throw error;
        await sleep(PORT_AGAIN_AFTER);
      }
  };
  const end = async (child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    expected.add(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exit;
  };
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  let running: Running;
  try {
    running = await start(options);
  } catch (error) {
    clean();
    throw error;
  }
  return {
    ...running.ports,
    token: options.token,
    ended,
    kill: () => end(running.child, 'SIGKILL'),
    async restart() {
      running = await startAgain(running.ports);
    },
    async close() {
      await end(running.child, 'SIGTERM');
      clean();
    },
  };
}

/** A server for tests and simulations: on this machine alone, with a token of its own and on ports that the system chooses. */
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
