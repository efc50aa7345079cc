/** tfjs' wasm backend under Node: one thread, and results to the bit those of every machine and version of Node. */
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { startBackend, type BackendInfo } from './start.ts';

export function startBackendInNode(): Promise<BackendInfo> {
  const packageFile = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm/package.json');
  return startBackend('wasm', {
    wasmPath: `${dirname(packageFile)}${sep}dist${sep}`,
    fusedProducts: false,
  });
}
