#!/usr/bin/env node
/**
 * `node src/cli/run.mjs NAME [arguments…]`: bundles src/cli/NAME.ts, or FOLDER/NAME.ts where a folder is named, and runs it in this process
 * with the arguments: by its default export (program.ts), or by what it does when it is loaded.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { asProcess } from './asProcess.mjs';
import { bundle, programPath } from './bundle.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
if (!existsSync(`${root}node_modules`)) {
  console.error(
    `${root} has no folder node_modules: run npm ci there first, or carry it along with the rest (docs/benchmark.md).`,
  );
  process.exit(2);
}
const [name, ...rest] = process.argv.slice(2);
const source = programPath(name ?? '');
if (name === undefined || !existsSync(source)) {
  console.error(`There is no program ${source}. Usage: node src/cli/run.mjs NAME [arguments…]`);
  process.exit(2);
}
const file = await bundle(name);
process.argv = [process.execPath, source, ...rest];
await asProcess(async () => {
  const module = /** @type {{ default?: import('./program.ts').Program }} */ (
    await import(pathToFileURL(file).href)
  );
  return module.default;
}, rest);
