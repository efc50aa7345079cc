#!/usr/bin/env node
/**
 * `node src/cli/run.mjs NAME [arguments…]`: bundles src/cli/NAME.ts, or FOLDER/NAME.ts where a folder is named, and runs it in this process with
 * the arguments: by its default export (program.ts), or by what it does when it is loaded. Errors are their message alone, with DEBUG in
 * the environment their stack.
 */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { bundle, programPath } from './bundle.mjs';

const [name, ...rest] = process.argv.slice(2);
const source = programPath(name ?? '');
if (name === undefined || !existsSync(source)) {
  console.error(`There is no program ${source}. Usage: node src/cli/run.mjs NAME [arguments…]`);
  process.exit(2);
}
const file = await bundle(name);
/** @type {(text: string) => void} */
let print = console.error;
// Emscripten's glue rethrows uncaught errors from one 37 kB line, which Node would print whole: so ours come first.
const fail = (/** @type {unknown} */ error) => {
  const withStack = process.env.DEBUG !== undefined;
  print(error instanceof Error ? ((withStack ? error.stack : null) ?? error.message) : String(error));
  process.exit(1);
};
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    // A program that ends in order listens itself (interruption.ts).
    if (stream.listenerCount('error') > 1) return;
    // Whoever read the output has what it wanted: `npm run … | head`.
    if (error.code === 'EPIPE') process.exit(141);
    fail(error);
  });
process.setSourceMapsEnabled(true);
process.argv = [process.execPath, source, ...rest];
const { default: program } = /** @type {{ default?: import('./program.ts').Program }} */ (
  await import(pathToFileURL(file).href)
);
if (program !== undefined) {
  print = program.printProblem ?? print;
  process.exitCode = await program(rest);
}
