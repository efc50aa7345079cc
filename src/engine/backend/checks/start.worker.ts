/** Starts a backend in a worker for the tests, and answers with its line and a sum that it computed. */
import { startBackend } from '../start.ts';
import * as tf from '../tf.ts';

addEventListener('message', ({ data }: MessageEvent<'webgpu' | 'wasm'>) => {
  void startBackend(data, { wasmPath: '/wasm/', threads: 1 }).then(async ({ line }) => {
    postMessage({ line, sum: [...(await tf.add([1, 2], [3, 5]).data())] });
  });
});
