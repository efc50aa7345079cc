/**
 * `npm run lab -- waits`: what a kernel takes where the caller works along and spins for the other thread, as `backend/simdPool.ts` does, and where two
 * threads do all of it while the caller waits by `Atomics.waitAsync`; and how long the kernels of a training step are. Under Node, whose
 * V8 is the browser's; wants two idle cores. Exit codes: 0 done, 2 bad arguments.
 */
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { hostMemory } from '../src/backend/host.ts';
import type { Kernel } from '../src/backend/simdTickets.ts';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import * as tf from '../src/backend/tf.ts';
import { defaultConfig } from '../src/config/presets.ts';
import { loadModelNamed } from '../src/run/models/modelsInNode.ts';
import { LOCAL_ENVIRONMENT } from '../src/run/localEnvironment.ts';
import { freshStart, Session } from '../src/run/session.ts';
import { printLine } from '../cli/print.ts';
import { command, simpleProgram } from '../cli/program.ts';

const TASK = 'reverse_digits';
const STEPS = 5;

/** Milliseconds of each kernel of the trainer in a few steps of a default run, on one thread. */
async function kernelsOfSteps(): Promise<number[]> {
  await startBackendInNode();
  const config = defaultConfig(TASK);
  const session = await Session.open(
    config,
    freshStart(await loadModelNamed(config.model)),
    LOCAL_ENVIRONMENT,
  );
  await session.trainStep({});
  const memory = hostMemory(tf.backend());
  const { pool } = session.engine;
  const parallel = memory.parallel.bind(memory);
  const [generate, generateOn] = [pool.generate.bind(pool), pool.generateOn.bind(pool)];
  const took: number[] = [];
  // In the page, generators have threads of their own.
  let sampling = 0;
  const sampled = async <T>(work: () => Promise<T>): Promise<T> => {
    sampling++;
    return work().finally(() => sampling--);
  };
  pool.generate = (...asked) => sampled(() => generate(...asked));
  pool.generateOn = (...asked) => sampled(() => generateOn(...asked));
  memory.parallel = (...asked) => {
    const began = performance.now();
    parallel(...asked);
    if (sampling === 0) took.push(performance.now() - began);
  };
  for (let step = 0; step < STEPS; step++) await session.trainStep({});
  session.dispose();
  return took;
}

/** Of RMSNorm, whose rows make it as long as is asked for. */
const WIDTH = 96;
const EPSILON = 1e-6;
const MOST_ROWS = 2 ** 17;
const ROWS_AT = 2 ** 16;
const GAMMA_AT = 1024;
/** Places in the words that threads share. */
const CALL = 0;
const DONE = 1;
const ROWS = 2;

interface ThreadData {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly words: Int32Array;
  readonly index: number;
}

/** Runs in a thread, from its text: a share of the rows at each call, spinning for 50 µs and sleeping then, as `backend/simdWorker.ts` does. */
const THREAD = `
const { module, memory, words, index } = require('node:worker_threads').workerData;
const { rmsNorm } = new WebAssembly.Instance(module, { env: { memory } }).exports;
for (let call = 0; ; ) {
  for (let spin = 0; spin < 10000 && Atomics.load(words, ${CALL}) === call; spin++);
  while (Atomics.load(words, ${CALL}) === call) Atomics.wait(words, ${CALL}, call);
  call = Atomics.load(words, ${CALL});
  const half = words[${ROWS}] / 2;
  rmsNorm(index * half, (index + 1) * half, ${ROWS_AT}, ${GAMMA_AT}, ${ROWS_AT + 4 * WIDTH * MOST_ROWS}, ${WIDTH}, ${EPSILON});
  Atomics.add(words, ${DONE}, 1);
  Atomics.notify(words, ${DONE});
}`;

class Shared {
  readonly words = new Int32Array(new SharedArrayBuffer(64));
  readonly rmsNorm: Kernel;
  readonly #threads: Worker[];

  private constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, threads: readonly number[]) {
    this.rmsNorm = new WebAssembly.Instance(module, { env: { memory } }).exports['rmsNorm'] as Kernel;
    this.#threads = threads.map((index) => {
      const workerData: ThreadData = { module, memory, words: this.words, index };
      return new Worker(THREAD, { eval: true, workerData });
    });
  }

  /** `threads`: which halves of the rows have a thread of their own. */
  static async start(threads: readonly number[]): Promise<Shared> {
    const { default: base64 } = await import('virtual:simd-kernels/shared');
    const module = await WebAssembly.compile(Buffer.from(base64, 'base64'));
    const pages = Math.ceil((ROWS_AT + 8 * WIDTH * MOST_ROWS) / 65_536);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: 65_536, shared: true });
    new Float32Array(memory.buffer, GAMMA_AT, WIDTH).fill(1);
    const shared = new Shared(module, memory, threads);
    await shared.waited(2);
    return shared;
  }

  offer(rows: number): void {
    this.words[ROWS] = rows;
    Atomics.store(this.words, DONE, 0);
    Atomics.add(this.words, CALL, 1);
    Atomics.notify(this.words, CALL);
  }

  half(rows: number): void {
    const output = ROWS_AT + 4 * WIDTH * MOST_ROWS;
    this.rmsNorm(0, rows / 2, ROWS_AT, GAMMA_AT, output, WIDTH, EPSILON);
  }

  /** The caller does the first half. */
  spun(rows: number): void {
    this.offer(rows);
    this.half(rows);
    while (Atomics.load(this.words, DONE) < this.#threads.length);
  }

  async waited(rows: number): Promise<void> {
    this.offer(rows);
    for (let done = 0; done < this.#threads.length; done = Atomics.load(this.words, DONE)) {
      const { async: later, value } = Atomics.waitAsync(this.words, DONE, done);
      if (later) await value;
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

const MEASURED_MS = 1000;

/** Microseconds of one call. */
async function timed(call: () => Promise<void> | void): Promise<{ each: number; busy: number }> {
  const before = performance.eventLoopUtilization();
  const began = performance.now();
  let calls = 0;
  for (; performance.now() - began < MEASURED_MS; calls++) await call();
  const each = (1000 * (performance.now() - began)) / calls;
  return { each, busy: performance.eventLoopUtilization(before).utilization };
}

const line = () =>
  command(
    'npm run lab -- waits',
    'What it costs that the caller of a kernel waits for its threads without spinning: Atomics.waitAsync against the present way.',
    '',
  );

export default simpleProgram(line, async () => {
  const took = (await kernelsOfSteps()).sort((a, b) => a - b);
  const total = took.reduce((sum, each) => sum + each, 0);
  const at = (share: number): string => (1000 * (took[Math.floor(share * took.length)] ?? NaN)).toFixed(0);
  printLine(
    `The trainer, in a step of ${TASK}: ${Math.round(took.length / STEPS)} kernels, ${(total / STEPS).toFixed(0)} ms in them on one thread; half take less than ${at(0.5)} µs, nine in ten less than ${at(0.9)} µs.\n`,
  );
  const [beside, apart] = [await Shared.start([1]), await Shared.start([0, 1])];
  printLine(
    '| rows | one thread, µs | caller and a thread, spinning | two threads, waitAsync | costs more | caller busy meanwhile |',
  );
  printLine(
    '| ---- | -------------- | ----------------------------- | ---------------------- | ---------- | --------------------- |',
  );
  for (let rows = 128; rows <= MOST_ROWS; rows *= 4) {
    const alone = await timed(() => {
      beside.half(rows);
      beside.half(rows);
    });
    const spun = await timed(() => beside.spun(rows));
    const waited = await timed(() => apart.waited(rows));
    const cells = [alone, spun, waited].map(({ each }) => each.toFixed(1));
    printLine(
      `| ${rows} | ${cells.join(' | ')} | ${(waited.each - spun.each).toFixed(1)} | ${Math.round(100 * waited.busy)} % |`,
    );
  }
  await Promise.all([beside.stop(), apart.stop()]);
});
