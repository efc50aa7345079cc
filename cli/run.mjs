#!/usr/bin/env node
/** `node cli/run.mjs NAME [arguments…]`: bundles cli/NAME.ts and runs it in this process with the arguments. */
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';

const [name, ...rest] = process.argv.slice(2);
const source = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
if (name === undefined || !existsSync(source)) {
  console.error(`There is no program ${source}. Usage: node cli/run.mjs NAME [arguments…]`);
  process.exit(2);
}
const file = await bundle(name);
// Emscripten's glue rethrows uncaught errors from one 37 kB line, which Node would print whole: so ours come first.
const fail = (error) => {
  console.error(error);
  process.exit(1);
};
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
process.setSourceMapsEnabled(true);
process.argv = [process.execPath, source, ...rest];
await import(pathToFileURL(file).href);
