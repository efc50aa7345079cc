/** tfjs' wasm backend under Node. It has one thread, and its results are the same to the bit on every machine and version of Node. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBackend, type BackendInfo } from './start.ts';

/** The folder of tfjs' wasm files: beside the modules of the published package, and in tfjs itself in a checkout. */
function wasmFolder(): string {
  const published = fileURLToPath(new URL('../wasm/', import.meta.url));
  if (existsSync(published)) return published;
  const packageFile = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm/package.json');
  return join(dirname(packageFile), 'dist') + sep;
}

export function startBackendInNode(): Promise<BackendInfo> {
  return startBackend('wasm', { wasmPath: wasmFolder(), fusedProducts: false });
}
