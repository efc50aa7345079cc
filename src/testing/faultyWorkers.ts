/** Real workers that go wrong, in the place of the first ones that are started. */
import { breathe } from '../backend/eventLoop.ts';
import type { Fault } from './faults.ts';

export interface FaultyWorkers {
  /** Workers of the kind that were started. */
  readonly started: number;
  /** The last of them. */
  readonly newest: Worker | null;
  restore(): void;
}

/** `start` in place of the next `count` workers whose address matches. */
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

/** The next generator goes wrong; `onFault` is called in the page just after. */
export function breakGenerator(fault: Fault, onFault: () => void): FaultyWorkers {
  return inPlaceOf(/\/rollout\/worker\./, 1, () => {
    const worker = new Worker(new URL('./faultyGenerator.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<object>) => {
      // Behind whoever else hears this message.
      if ('fault' in data) void breathe().then(onFault);
    });
    worker.postMessage(fault);
    return worker;
  });
}

/** The next `count` SIMD threads take one part of a kernel each and are gone with it. */
export function killThreads(count: number): FaultyWorkers {
  return inPlaceOf(
    /\/backend\/simdWorker\./,
    count,
    () => new Worker(new URL('./dyingThread.worker.ts', import.meta.url), { type: 'module' }),
  );
}
