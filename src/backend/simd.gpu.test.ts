/** The SIMD kernels on threads, which only a browser has. */
import { expect, test } from 'vitest';
import { hostMemory } from './host.ts';
import { startBackend } from './start.ts';
import * as tf from './tf.ts';

const THREADS = 3;
const info = await startBackend('wasm', { wasmPath: '/wasm/', threads: THREADS });
const memory = hostMemory(tf.backend());

test('the threads that were asked for are there', () => {
  expect(globalThis.crossOriginIsolated).toBe(true);
  expect(info).toMatchObject({ threads: THREADS });
  expect(info.line).toMatch(/SIMD, 3 threads$/);
});

test('kernels shared out among threads cover every item once, call after call', async () => {
  const length = 12_345;
  const x = tf.zeros([length]);
  for (let round = 1; round <= 3000; round++) {
    memory.parallel('fill', length, 1 + (round % 700), memory.pointer(x), round);
    const values = memory.floats(x);
    const wrong = values.findIndex((value) => value !== round);
    if (wrong >= 0) throw new Error(`round ${round}: element ${wrong} is ${values[wrong]}`);
  }
  expect(memory.floats(x)[length - 1]).toBe(3000);
});

test('several threads give the same bits as one', async () => {
  const length = 100_003;
  const x = tf.randomUniform([length], -20, 20);
  const alone = tf.zeros([length]);
  const together = tf.zeros([length]);
  memory.call('exponentials', 0, length, memory.pointer(x), memory.pointer(alone));
  memory.parallel('exponentials', length, 64, memory.pointer(x), memory.pointer(together));
  expect(memory.floats(together)).toEqual(memory.floats(alone));
});

test('threads that slept wake for the next kernel', async () => {
  const x = tf.zeros([100_000]);
  for (let round = 1; round <= 5; round++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    memory.parallel('fill', 100_000, 100, memory.pointer(x), round);
    expect(memory.floats(x).every((value) => value === round)).toBe(true);
  }
});

test('a kernel that leaves the memory is reported, and the next one runs', () => {
  const beyond = 3_000_000_000;
  expect(() => memory.parallel('fill', 10_000, 100, beyond, 1)).toThrow('left the memory');
  const x = tf.zeros([1000]);
  memory.parallel('fill', 1000, 100, memory.pointer(x), 4);
  expect(memory.floats(x).every((value) => value === 4)).toBe(true);
});

test('a worker has threads of its own', async () => {
  const worker = new Worker(new URL('./checks/threads.worker.ts', import.meta.url), { type: 'module' });
  const answer = await new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => resolve(data));
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
    worker.postMessage(2);
  });
  worker.terminate();
  expect(answer).toEqual({ threads: 2, wrong: -1 });
});
