/** tfjs' wasm backend under Node, one thread: for pretraining and experiments. */
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { startBackend } from '../src/backend/start.ts';
import '../src/kernels/index.ts';

export async function startNodeBackend(): Promise<void> {
  const packageFile = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm/package.json');
  await startBackend('wasm', { wasmPath: `${dirname(packageFile)}${sep}dist${sep}` });
}
