/** Watches workers while a test starts them, and replaces the first of them by real ones that fail. */
import { breathe } from '../backend/eventLoop.ts';
import type { ThreadStart } from '../backend/simdWorker.ts';
import type { DyingStart } from './dyingThread.worker.ts';
import type { Fault } from './faults.ts';

export interface FaultyWorkers {
  /** The number of workers of this kind that were started. */
  readonly started: number;
  /** The last worker that was started. */
  readonly newest: Worker | null;
  restore(): void;
}

/** Calls `start` in place of the next `count` workers whose address matches. */
function inPlaceOf(address: RegExp, count: number, start: () => Worker): FaultyWorkers {
  const Original = globalThis.Worker;
  let started = 0;
  let newest: Worker | null = null;
  globalThis.Worker = new Proxy(Original, {
    construct(target, [url, options]: ConstructorParameters<typeof Worker>) {
      if (!address.test(String(url))) return new target(url, options);
      newest = started++ < count ? start() : new target(url, options);
      return newest;
    },
  });
  return {
    get started() {
      return started;
    },
    get newest() {
      return newest;
    },
    restore: () => (globalThis.Worker = Original),
  };
}

/** Makes the next generator fail; `onFault` is called in the page right afterwards. */
export function breakGenerator(fault: Fault, onFault: () => void): FaultyWorkers {
  return inPlaceOf(/\/rollout\/worker\./, 1, () => {
    const worker = new Worker(new URL('./faultyGenerator.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<object>) => {
      // Other listeners to this message come first.
      if ('fault' in data) void breathe().then(onFault);
    });
    worker.postMessage(fault);
    return worker;
  });
}

export interface DyingThreads extends FaultyWorkers {
  /** The number of threads that have taken their part. */
  readonly taken: number;
}

/** Makes the next `count` SIMD threads take one part of a kernel each and end without finishing it. */
export function killThreads(count: number): DyingThreads {
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const workers = inPlaceOf(/\/backend\/simdWorker\./, count, () => {
    const worker = new Worker(new URL('./dyingThread.worker.ts', import.meta.url), { type: 'module' });
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (start: ThreadStart): void =>
      post({ ...start, taken: taken.buffer } satisfies DyingStart);
    return worker;
  });
  return Object.defineProperty(workers, 'taken', { get: () => Atomics.load(taken, 0) }) as DyingThreads;
}

/** Lists the workers that are started from now on. */
export function watchWorkers(): { workers: Worker[]; restore: () => void } {
  const Original = globalThis.Worker;
  const workers: Worker[] = [];
  globalThis.Worker = class extends Original {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      workers.push(this);
    }
  };
  return { workers, restore: () => (globalThis.Worker = Original) };
}
