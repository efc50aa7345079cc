/** A nats-server as runs and machines need it: found on this machine, configured, started, and ended. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const GIGABYTE = 2 ** 30;
const START_PATIENCE = 10_000;

export interface ServerOptions {
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** For pages; null for none. */
  readonly webSocketPort: number | null;
  readonly token: string;
  /** Folder that keeps queues and weights; null for one that is deleted at the end. */
  readonly store: string | null;
  /** Bytes that it may take. */
  readonly storeLimit?: number;
  /** PEM files with which it speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

export interface NatsServer {
  readonly token: string;
  /** Rejects when it ends by itself. */
  readonly ended: Promise<never>;
  /** Ends it as an accident does. */
  kill(): Promise<void>;
  /** After `kill`: the same server with what it kept. */
  restart(): Promise<void>;
  close(): Promise<void>;
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

/** A port that nobody listens at just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What `nats-server -c` reads. The limits: large enough for weights and answers, small enough that a stranger can't fill memory. */
export function serverConfig(
  { host, port, webSocketPort, token, storeLimit = 20 * GIGABYTE, tls = null }: ServerOptions,
  store: string,
): string {
  const secure =
    tls === null
      ? null
      : `tls { cert_file: ${JSON.stringify(tls.cert)}, key_file: ${JSON.stringify(tls.key)} }`;
  const webSocket =
    webSocketPort === null
      ? ''
      : `websocket { host: ${JSON.stringify(host)}, port: ${webSocketPort}, ${secure ?? 'no_tls: true'} }`;
  return `
host: ${JSON.stringify(host)}
port: ${port}
authorization { token: ${JSON.stringify(token)}, timeout: 5 }
max_payload: 8MB
max_pending: 64MB
max_connections: 2048
${secure ?? ''}
jetstream { store_dir: ${JSON.stringify(store)}, max_memory_store: 64MB, max_file_store: ${storeLimit} }
${webSocket}
`;
}

/** Resolves when it answers. @throws where there is none on this machine, or it does not start, with its own words. */
export async function startNatsServer(options: ServerOptions): Promise<NatsServer> {
  const command = findNatsServer();
  if (command === null) throw new Error(HOW_TO_INSTALL);
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-hub-'));
  const store = options.store ?? join(folder, 'store');
  mkdirSync(store, { recursive: true });
  const config = join(folder, 'server.conf');
  writeFileSync(config, serverConfig(options, store), { mode: 0o600 });
  let child: ChildProcess;
  let expected = false;
  let fail: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => (fail = reject));
  ended.catch(() => undefined);
  const start = async (): Promise<void> => {
    let said = '';
    expected = false;
    const started = spawn(command, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    started.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
    const gone = new Promise<never>((_, reject) => {
      started.once('error', reject);
      started.once('exit', (code) => {
        const error = new Error(
          `nats-server ended with code ${code}:\n${said.trim().split('\n').slice(-3).join('\n')}`,
        );
        reject(error);
        if (!expected) fail(error);
      });
    });
    gone.catch(() => undefined);
    await Promise.race([gone, answers(options.host, options.port)]);
  };
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    expected = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exit;
  };
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await start();
  } catch (error) {
    clean();
    throw error;
  }
  return {
    token: options.token,
    ended,
    kill: () => end('SIGKILL'),
    restart: start,
    async close() {
      await end('SIGTERM');
      clean();
    },
  };
}

/** Resolves once somebody listens there. */
async function answers(host: string, port: number): Promise<void> {
  const until = Date.now() + START_PATIENCE;
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ host: address, port });
      const tell = (yes: boolean) => () => {
        socket.destroy();
        resolve(yes);
      };
      socket.once('connect', tell(true)).once('error', tell(false));
    });
    if (open) return;
    if (Date.now() > until)
      throw new Error(`nats-server did not answer at ${address}:${port} within ${START_PATIENCE / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
