/** `npx rl-playground start`, and `npm start` in the repository: builds the page if needed, serves it and prints its addresses. */
import { spawn } from 'node:child_process';
import { ensureBuilt } from './build.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram, wholeNumber } from './program.ts';
import { PortTakenError, serve, tlsOf, type TlsWords } from './serve.ts';

interface Options extends TlsWords {
  readonly port: number;
  readonly host: string;
  readonly open?: boolean;
}

const line = () =>
  command(
    'npx rl-playground start',
    'Builds RL Playground if needed and serves it until Ctrl-C.',
    '--host 0.0.0.0 --port 4174',
  )
    .option('--port <number>', 'port; 0 takes a free one', wholeNumber(0, 65_535), 4173)
    .option('--host <address>', 'where it listens; 0.0.0.0 for other machines too', '127.0.0.1')
    .option('--cert <file>', 'a certificate (PEM), for https; with --key')
    .option('--key <file>', 'its key')
    .option('--open', 'opens the page in the browser');

/** Asks the system to open an address. If it opens nothing, the person still has the printed address. */
function openInBrowser(url: string): void {
  const [program = '', ...words] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[
    process.platform as string
  ] ?? ['xdg-open'];
  const opened = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  opened.on('error', () => undefined);
  opened.unref();
}

const LOCAL = /^(127\.|localhost$|::1$)/;

export default simpleProgram<Options>(line, async (options) => {
  const { port, host } = options;
  const tls = tlsOf(options);
  try {
    await ensureBuilt();
    const { url, network } = await serve({ port, host, tls });
    printLine(`RL Playground: ${url}\nOpen it in Chrome and click Train. Ctrl-C ends.`);
    if (options.open === true) openInBrowser(url);
    if (LOCAL.test(host)) return;
    printLine(`Other machines: ${network.join(', ')}`);
    if (tls === null)
      printLine(
        'By plain http browsers give them no GPU, no threads and no storage for runs: enough to generate for a run, on one thread. --cert and --key serve https.',
      );
  } catch (error) {
    if (!(error instanceof PortTakenError)) throw error;
    throw new Error(`${error.message}\nChoose another one: npx rl-playground start --port 4174`, {
      cause: error,
    });
  }
});
