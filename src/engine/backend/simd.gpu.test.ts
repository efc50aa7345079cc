/** The SIMD kernels on threads, which only a browser has. */
import { expect, test } from 'vitest';
import { DEADLINE } from '@rl-playground/base/deadline';
import { heldAlarms } from '@rl-playground/base/testing/heldAlarms';
import { breathe } from './eventLoop.ts';
import { hostMemory } from './host.ts';
import { compileKernels, emscriptenModule, simdOf } from './simd.ts';
import type { Kernel } from './simdTickets.ts';
import { killThreads } from '../testing/faultyWorkers.ts';
import { startPool } from './simdPool.ts';
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

test('the same threads run kernels on other memories, which may come at once', async () => {
  const others = [1, 2].map(() => new WebAssembly.Memory({ initial: 2, maximum: 65_536, shared: true }));
  const simds = await Promise.all(others.map((other) => simdOf(tf.backend()).on(other)));
  const x = tf.zeros([20_000]);
  for (let round = 1; round <= 300; round++) {
    memory.parallel('fill', 20_000, 500, memory.pointer(x), round);
    for (const [i, simd] of simds.entries()) simd.parallel('fill', 20_000, 500, 64, -round - i);
    expect(memory.floats(x).every((value) => value === round)).toBe(true);
    for (const [i, { buffer }] of others.entries())
      expect(new Float32Array(buffer, 64, 20_000).every((value) => value === -round - i)).toBe(true);
  }
  expect(simds.map(({ threads }) => threads)).toEqual([THREADS, THREADS]);
});

test('threads that die with a part of a kernel are replaced: that call throws, those after it are whole', async () => {
  const { wasmMemory } = emscriptenModule(tf.backend());
  if (!wasmMemory) throw new Error('The wasm backend has no shared memory.');
  const module = await compileKernels(true, false);
  const { exports } = await WebAssembly.instantiate(module, { env: { memory: wasmMemory } });
  const fill = Object.keys(exports).indexOf('fill');
  const x = tf.zeros([12_000]);
  let time = 0;
  let tick = 1000;
  const timers = { ...heldAlarms(), now: () => (time += tick) };
  const dying = killThreads(THREADS - 1);
  try {
    const place = { module, memory: wasmMemory };
    // A thread that comes late finds no part left: so the caller, with one in hand, does nothing until another has been taken.
    const kernels = (Object.values(exports) as Kernel[]).map((kernel): Kernel => (...args) => {
      while (dying.taken === 0);
      return kernel(...args);
    });
    const pool = await startPool(kernels, THREADS, place, DEADLINE, timers);
    expect(pool.threads).toBe(THREADS);
    let value = 0;
    const run = (): void => pool.run(fill, 12_000, 1, [memory.pointer(x), ++value]);
    expect(run).toThrow('A thread of the CPU took a part of the work');
    tick = 0;
    expect(dying.started).toBe(2 * (THREADS - 1));
    const started = new Promise((resolve) => dying.newest?.addEventListener('message', resolve));
    const runWhole = (): void => {
      run();
      expect(memory.floats(x).every((found) => found === value)).toBe(true);
    };
    // By the caller alone, until others have started, and then with them.
    runWhole();
    await started;
    await breathe();
    for (let round = 0; round < 300; round++) runWhole();
  } finally {
    dying.restore();
  }
});
