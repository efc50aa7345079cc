/** `npm start`: builds the page if needed, serves it on this machine and prints its address. */
import { ensureBuilt } from './build.ts';
import { command, simpleProgram, wholeNumber } from './program.ts';
import { PortTakenError, serve } from './serve.ts';

const line = () =>
  command(
    'npm start --',
    'Builds RL Playground if needed and serves it on this machine until Ctrl-C.',
    '--port 4174',
  ).option('--port <number>', 'port on 127.0.0.1; 0 takes a free one', wholeNumber(0, 65_535), 4173);

export default simpleProgram<{ readonly port: number }>(line, async ({ port }) => {
  try {
    await ensureBuilt();
    const { url } = await serve({ port });
    console.log(`RL Playground: ${url}\nOpen it in Chrome and click Train. Ctrl-C ends.`);
  } catch (error) {
    if (!(error instanceof PortTakenError)) throw error;
    throw new Error(`${error.message}\nChoose another one: npm start -- --port 4174`, { cause: error });
  }
});
