/** `npm start`: builds the page if needed, serves it on this machine and prints its address. */
import { Command, InvalidArgumentError } from 'commander';
import { ensureBuilt } from './build.ts';
import { PortTakenError, serve } from './serve.ts';

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('It has to be a whole number from 0 to 65535; 0 takes a free port.');
}

const { port } = new Command('npm start --')
  .description('Builds RL Playground if needed and serves it on this machine.')
  .option('--port <number>', 'port on 127.0.0.1', portNumber, 4173)
  .parse()
  .opts<{ port: number }>();

try {
  await ensureBuilt();
  const { url } = await serve({ port });
  console.log(`RL Playground: ${url}\nOpen it in Chrome and click Train. Ctrl-C ends.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof PortTakenError) console.error('Choose another one: npm start -- --port 4174');
  process.exit(1);
}
