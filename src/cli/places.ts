/** The places of the command line's parts: in the repository where they were built, in the installed package within it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repository } from './tools.ts';

const site = fileURLToPath(new URL('../site/', import.meta.url));

/** True in the package that npm installed. */
export const isInstalled = existsSync(site);

/** The built page. */
export const pageFolder = isInstalled ? site : join(repository, 'dist');

/** The words after `node` that run a program of the command line. */
export const programWords = (name: string): string[] =>
  isInstalled
    ? [fileURLToPath(new URL('./main.js', import.meta.url)), name]
    : [join(repository, 'src/cli/run.mjs'), name];

/** The folder in which such a program runs. */
export const programFolder = isInstalled ? site : repository;

/** The interpreter of programs that score, which the package has beside its modules. */
export async function quickJsFile(): Promise<WebAssembly.Module> {
  const path = isInstalled
    ? fileURLToPath(new URL('../quickjs/emscripten-module.wasm', import.meta.url))
    : join(repository, 'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm');
  return WebAssembly.compile(await readFile(path));
}
