/** A nats-server for runs and machines: it is found on this machine, configured, started, and ended. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@rl-playground/base/errors';

const GIGABYTE = 2 ** 30;
/** The milliseconds after which a server that has neither begun nor ended counts as broken. */
const START_WITHIN = 60_000;
/** The milliseconds before a server that starts again checks once more whether its port is free, and the number of checks. */
const PORT_AGAIN_AFTER = 100;
const MOST_LOOKS = 600;

export interface ServerOptions {
  /** The host on which it listens. */
  readonly host: string;
  /** The port; 0 lets the system choose. */
  readonly port: number;
  /** The port for pages, 0 as above; null for none. */
  readonly webSocketPort: number | null;
  readonly token: string;
  /** The folder for queues and weights; null for one that is deleted at the end. */
  readonly store: string | null;
  /** The bytes that the store may take. */
  readonly storeLimit?: number;
  /** The PEM files for TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

type Ports = Pick<ServerOptions, 'port' | 'webSocketPort'>;

export interface NatsServer extends Ports {
  readonly token: string;
  /** Rejects when it ends by itself. */
  readonly ended: Promise<never>;
  /** Ends the server as an accident would. */
  kill(): Promise<void>;
  /** Starts the same server again after `kill`, with its data and on the same ports. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Makes a token of letters and digits alone, so that it can be typed and needs no escape in an address. */
export function newToken(): string {
  return randomBytes(18).toString('base64url').replaceAll(/[-_]/g, '0');
}

/** The command that starts the server: NATS_SERVER, or the one on the path; null if there is none. */
export function findNatsServer(): string | null {
  const command = process.env['NATS_SERVER'] ?? 'nats-server';
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0 ? command : null;
}

export const HOW_TO_INSTALL =
  'There is no nats-server on this machine. Install one: apt-get install nats-server (Debian, Ubuntu), brew install nats-server (macOS), winget install NATSAuthors.NATSServer (Windows), or a file of https://github.com/nats-io/nats-server/releases whose path you put into NATS_SERVER.';

/**
 * The configuration for `nats-server -c`. Its limits are large enough for weights and answers, and small enough that a stranger can't
 * fill memory. Its time limits are so long that no machine is too slow to introduce itself, or to read its messages.
 */
function serverConfig(
  { host, port, webSocketPort, token, storeLimit = 20 * GIGABYTE, tls = null }: ServerOptions,
  store: string,
): string {
  /** The number with which the configuration asks the system for a port. */
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

/** The ports on which it reports to listen. */
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

/** A process that has reported that it is ready. */
interface Running {
  readonly child: ChildProcess;
  readonly ports: Ports;
}

/** Starts the server. `ended` is told of a later end. @throws Error with its own words if it ends before it is ready. */
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

/** Starts a server, and resolves when it is ready. @throws Error if there is none on this machine, or with its own words if it does not start. */
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
  /** Starts the server again. Somebody else may have got the port meanwhile, for as long as a connection takes. */
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
