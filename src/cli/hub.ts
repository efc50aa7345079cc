/** `npx rl-playground hub`: a nats-server with a configuration made for runs and the machines that join them. Exit codes: 0 ended, 1 failed, 2 bad arguments. */
import { once } from 'node:events';
import { resolve } from 'node:path';
import { addressWithToken } from '@rl-playground/machines';
import { endOfProgram } from './interruption.ts';
import { findNatsServer, HOW_TO_INSTALL, newToken, startNatsServer } from './natsServer.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram, wholeNumber } from './program.ts';
import { networkAddresses, tlsOf, type TlsWords } from './serve.ts';

interface Options extends TlsWords {
  readonly host: string;
  readonly port: number;
  readonly wsPort: number;
  readonly token?: string;
  readonly dir?: string;
  readonly storeLimit: number;
}

const line = () =>
  command(
    'npx rl-playground hub',
    'Starts a nats-server that runs and generators meet at: a token, a WebSocket port for pages, limits, and JetStream in a folder. Ends with Ctrl-C.',
    '--host 0.0.0.0',
  )
    .option('--host <address>', 'where it listens; 0.0.0.0 for other machines too', '127.0.0.1')
    .option('--port <number>', 'for programs (TCP)', wholeNumber(1, 65_535), 4222)
    .option('--ws-port <number>', 'for pages (WebSocket)', wholeNumber(1, 65_535), 8080)
    .option('--token <text>', 'what whoever joins must know; by default a new one')
    .option('--dir <folder>', 'keeps queues and weights; by default a folder that is deleted at the end')
    .option('--store-limit <gigabytes>', 'that the folder may take', wholeNumber(1, 100_000), 20)
    .option('--cert <file>', 'a certificate (PEM), for TLS on both ports; with --key')
    .option('--key <file>', 'its key');

export default simpleProgram<Options>(line, async (options) => {
  const { host, port, wsPort, dir, storeLimit } = options;
  const tls = tlsOf(options);
  if (port === wsPort) throw new BadInput(`--port and --ws-port are both ${port}; they must differ.`);
  const token = options.token ?? newToken();
  if (!/^[\w.~-]{8,}$/.test(token))
    throw new BadInput('--token must be at least 8 letters, digits or . _ ~ - without spaces.');
  if (findNatsServer() === null) {
    printProblem(HOW_TO_INSTALL);
    return 1;
  }
  const server = await startNatsServer({
    host,
    port,
    webSocketPort: wsPort,
    token,
    store: dir === undefined ? null : resolve(dir),
    storeLimit: storeLimit * 2 ** 30,
    tls,
  });
  const isOpen = host === '0.0.0.0' || host === '::';
  const at = isOpen ? (networkAddresses()[0] ?? '127.0.0.1') : host;
  const secure = tls !== null;
  const tcp = addressWithToken({ url: `${secure ? 'tls' : 'nats'}://${at}:${port}`, token });
  const page = addressWithToken({ url: `${secure ? 'wss' : 'ws'}://${at}:${wsPort}`, token });
  printLine(`The hub listens on ${host}, for programs on port ${port} and for pages on port ${wsPort}. Whoever knows these addresses can join and read along:

  train      npx rl-playground train --task sum_digits --num-generators 0 --join ${tcp}
  generate   npx rl-playground generator --join ${tcp}
  in a page  "Invite generators" of RL Playground, with the server ${page}
`);
  if (host === '127.0.0.1') printLine('Only this machine reaches it; --host 0.0.0.0 lets others.');
  try {
    await Promise.race([once(endOfProgram(), 'abort'), server.ended]);
    return 0;
  } finally {
    await server.close();
  }
});
