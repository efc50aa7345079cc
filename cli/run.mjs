#!/usr/bin/env node
/**
 * `node cli/run.mjs NAME [arguments…]`: bundles cli/NAME.ts, or FOLDER/NAME.ts where a folder is named, and runs it in this process with
 * the arguments: by its default export (program.ts), or by what it does when it is loaded. Errors are their message alone, with DEBUG in
 * the environment their stack.
 */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { bundle, programPath } from './bundle.mjs';

const [name, ...rest] = process.argv.slice(2);
const source = programPath(name ?? '');
if (name === undefined || !existsSync(source)) {
  console.error(`There is no program ${source}. Usage: node cli/run.mjs NAME [arguments…]`);
  process.exit(2);
}
const file = await bundle(name);
// Emscripten's glue rethrows uncaught errors from one 37 kB line, which Node would print whole: so ours come first.
const fail = (error) => {
  console.error(process.env.DEBUG === undefined && error instanceof Error ? error.message : error);
  process.exit(1);
};
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
process.setSourceMapsEnabled(true);
process.argv = [process.execPath, source, ...rest];
const { default: program } = /** @type {{ default?: (words: string[]) => Promise<number> }} */ (
  await import(pathToFileURL(file).href)
);
if (program !== undefined) process.exitCode = await program(rest);
