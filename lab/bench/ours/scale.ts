/**
 * Measures whether cost grows in proportion to the work, with a small size beside a large one in turns, and the memory on the device
 * after few and after many steps of varied lengths.
 */
import type { HostModel } from '../participants/model.ts';
import { secondsSince } from '../participants/timing.ts';
import type { GrowthWorkload, Prepared, MemoryWorkload, Environment } from '../types.ts';
import { prepareOp } from './ops.ts';
import { localGenerator } from './generators.ts';
import { trainingRun } from './train.ts';
import { uniformAt } from '@rl-playground/engine/parts';
import { tf } from '@rl-playground/engine/parts/tensors';
import { installGpuCounter } from '../instruments/gpuCounter.ts';

/** Positions or new tokens where the batch grows; sequences where the length grows. */
const LENGTH = 64;
const ROLLOUTS = 16;
/** Prompts of sampling: the usual one, and a long one that shows what each cached position costs. */
const PROMPT = 32;
const LONG_PROMPT = 288;
/** Tokens over which that cost is measured. */
const PROBE = 33;

/** A figure is the least of the runs that fit into this time, in seconds, and of at least `FEWEST_RUNS`. */
const SECONDS = 0.4;
const FEWEST_RUNS = 3;

/** Seconds of the part of the work that grows in proportion, at a size. */
type Measure = (size: number) => Promise<number>;

/** Returns the least of several times, because other work of the machine only ever adds to a time. */
async function least(timed: () => Promise<number>): Promise<number> {
  const began = performance.now();
  const times: number[] = [];
  do {
    times.push(await timed());
  } while (times.length < FEWEST_RUNS || secondsSince(began) < SECONDS);
  return Math.min(...times);
}

/** The sample has the seconds of one unit of size, by part of a step and by size. */
export async function prepareGrowth(workload: GrowthWorkload, host: HostModel): Promise<Prepared> {
  const { axis, small, large } = workload;
  const longest = axis === 'length' ? large : LENGTH;
  const training = trainingCost(workload, host, longest);
  const sampling = await samplingCost(workload, host, longest);
  await training.measure(large);
  await sampling.measure(large);
  return {
    check: null,
    async run() {
      const began = performance.now();
      const perUnit = {
        smallTraining: (await training.measure(small)) / small,
        smallSampling: (await sampling.measure(small)) / small,
        largeTraining: (await training.measure(large)) / large,
        largeSampling: (await sampling.measure(large)) / large,
      };
      return { seconds: secondsSince(began), ...perUnit };
    },
    dispose() {
      training.dispose();
      sampling.dispose();
    },
  };
}

interface Cost {
  readonly measure: Measure;
  readonly dispose: () => void;
}

function trainingCost({ axis }: GrowthWorkload, host: HostModel, longest: number): Cost {
  const run = trainingRun(host, longest);
  const sizeOf = (size: number) =>
    axis === 'length' ? { rollouts: ROLLOUTS, length: size } : { rollouts: size, length: LENGTH };
  return {
    async measure(size) {
      const seconds = await least(async () => {
        const began = performance.now();
        await run.step(sizeOf(size));
        return secondsSince(began);
      });
      return axis === 'length' ? seconds - (await attentionSeconds(host, size)) : seconds;
    },
    dispose: () => run.dispose(),
  };
}

/** Attention of all layers, forward and backward, whose cost grows with the square of the length. */
async function attentionSeconds({ config }: HostModel, length: number): Promise<number> {
  const { heads, kvHeads, headDim, layers } = config;
  const sizes = { batch: ROLLOUTS, length, heads, kvHeads, headDim };
  const unused = { hidden: 0, mlp: 0, vocabulary: 0, parameters: 0 };
  const prepared = await prepareOp({ kind: 'op', op: 'attentionGradient', sizes: { ...sizes, ...unused } });
  const seconds = await least(async () => (await prepared.run()).seconds);
  await prepared.dispose();
  return seconds * layers;
}

async function samplingCost({ axis }: GrowthWorkload, host: HostModel, longest: number): Promise<Cost> {
  const generator = await localGenerator(host, LONG_PROMPT + longest);
  const timed = (rows: number, prompt: number, tokens: number): Promise<number> =>
    least(async () => {
      const began = performance.now();
      await generator.generate(rows, prompt, tokens);
      return secondsSince(began);
    });
  return {
    async measure(size) {
      if (axis === 'rollouts') return timed(size, PROMPT, LENGTH);
      const whole = await timed(ROLLOUTS, PROMPT, size);
      const positions = size * PROMPT + (size * (size - 1)) / 2;
      return whole - positions * (await cachedPositionSeconds(timed));
    },
    dispose: () => generator.dispose(),
  };
}

/** Returns what one more position in the cache adds to one token of every row: prompts of two lengths, less their prefill. */
async function cachedPositionSeconds(
  timed: (rows: number, prompt: number, tokens: number) => Promise<number>,
): Promise<number> {
  const decoding = async (prompt: number): Promise<number> =>
    (await timed(ROLLOUTS, prompt, PROBE)) - (await timed(ROLLOUTS, prompt, 1));
  const long = await decoding(LONG_PROMPT);
  const short = await decoding(PROMPT);
  return Math.max(0, (long - short) / ((PROBE - 1) * (LONG_PROMPT - PROMPT)));
}

const MOST_ROLLOUTS = 8;
const LONGEST = 48;

/** A whole number from 1 to `most`, decided by the step and its purpose. */
const varied = (step: number, purpose: number, most: number): number =>
  1 + Math.floor(uniformAt(3, step, purpose, 0, 0) * most);

/** The sample has bytes after the first and the last of the steps looked at. One run takes minutes on a slow device. */
export async function prepareMemory(
  { early, late }: MemoryWorkload,
  host: HostModel,
  { backend }: Environment,
): Promise<Prepared> {
  const trainer = trainingRun(host, LONGEST);
  const generator = await localGenerator(host, 2 * LONGEST);
  const bytes = (): number => (backend === 'webgpu' ? (installGpuCounter()?.bytes ?? 0) : wasmBytes());
  const step = async (index: number): Promise<void> => {
    const rollouts = varied(index, 1, MOST_ROLLOUTS);
    await generator.generate(rollouts, varied(index, 2, LONGEST), varied(index, 3, LONGEST));
    await trainer.step({ rollouts, length: 1 + varied(index, 4, LONGEST - 1) });
  };
  return {
    check: null,
    async run() {
      const began = performance.now();
      let first = 0;
      for (let index = 1; index <= late; index++) {
        await step(index);
        if (index === early) first = bytes();
      }
      return { seconds: secondsSince(began), early: first, late: bytes() };
    },
    dispose() {
      generator.dispose();
      trainer.dispose();
    },
  };
}

/** The size of tfjs' heap, which never shrinks. */
function wasmBytes(): number {
  const backend: object = tf.backend();
  const wasm: unknown = Reflect.get(backend, 'wasm');
  const heap: unknown = typeof wasm === 'object' && wasm !== null ? Reflect.get(wasm, 'HEAPU8') : null;
  return heap instanceof Uint8Array ? heap.byteLength : 0;
}
