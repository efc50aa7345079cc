/** A nats-server for runs and machines: it is found on this machine, configured, started, and ended. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TlsWords } from './serve.ts';

const GIGABYTE = 2 ** 30;
/** The milliseconds after which a server that has neither begun nor ended counts as broken. */
const START_WITHIN = 60_000;

export interface ServerOptions {
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
  readonly tls?: Required<TlsWords> | null;
}

type Ports = Pick<ServerOptions, 'port' | 'webSocketPort'>;

export interface NatsServer extends Ports {
  readonly token: string;
  /** Rejects when it ends. */
  readonly ended: Promise<never>;
  /** Ends the server, by default in order. */
  close(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
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

/** Starts the server. Resolves when it reports that it is ready. @throws Error with its own words if it ends before that. */
async function launched(
  command: string,
  config: string,
  wanted: Ports,
): Promise<Ports & Pick<NatsServer, 'ended'> & { readonly child: ChildProcess }> {
  const child = spawn(command, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let [said, isReady] = ['', false];
  const limit = new AbortController();
  const words = (): string => said.trim().split('\n').slice(-3).join('\n');
  const ready = new Promise<string>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (!isReady && !said.includes('Server is ready')) return;
      isReady = true;
      resolve(said);
      said = said.slice(-2000);
    });
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`nats-server ended with code ${code}:\n${words()}`)));
  });
  ended.catch(() => undefined);
  const late = sleep(START_WITHIN, undefined, { signal: limit.signal }).then((): never => {
    throw new Error(`nats-server was not ready within ${START_WITHIN / 1000} s:\n${words()}`);
  });
  try {
    return { child, ended, ...portsIn(await Promise.race([ready, ended, late]), wanted) };
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
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(config, serverConfig(options, store), { mode: 0o600 });
    const { child, ...running } = await launched(command, config, options);
    return {
      ...running,
      token: options.token,
      async close(signal = 'SIGTERM') {
        const exit = once(child, 'exit');
        if (child.exitCode === null && child.signalCode === null && child.kill(signal)) await exit;
        clean();
      },
    };
  } catch (error) {
    clean();
    throw error;
  }
}
