import { fileURLToPath } from 'node:url';

/** The folder of tfjs' wasm files, for `startBackend` in Node. */
export const wasmPathInNode = fileURLToPath(
  new URL('../../../node_modules/@tensorflow/tfjs-backend-wasm/dist/', import.meta.url),
);
