/** Starts the wasm backend on several threads in a worker, and answers with the items that a shared kernel left undone. */
import { hostMemory } from '../host.ts';
import { startBackend } from '../start.ts';
import * as tf from '../tf.ts';

addEventListener('message', ({ data: threads }: MessageEvent<number>) => {
  void startBackend('wasm', { wasmPath: '/wasm/', threads }).then((info) => {
    const memory = hostMemory(tf.backend());
    const x = tf.zeros([100_000]);
    memory.parallel('fill', 100_000, 64, memory.pointer(x), 3);
    postMessage({ threads: info.threads, wrong: memory.floats(x).findIndex((value) => value !== 3) });
  });
});
