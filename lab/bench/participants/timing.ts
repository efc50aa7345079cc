/** Timed repeats of operations that may be far shorter than the clock's resolution. */
import type { Prepared } from '../types.ts';

/** One repeat of short operations lasts at least this long, and one of whole pieces of work. */
const REPEAT_SECONDS = 0.1;
const WORK_SECONDS = 0.3;
/** Operations queued in one repeat at most: what is queued holds memory. */
const MOST_ITERATIONS = 256;

/** Seconds since `began` (milliseconds of `performance.now`). */
export const secondsSince = (began: number): number => (performance.now() - began) / 1000;

/** Operations in one repeat, given the seconds of one. */
export function iterationsFor(seconds: number): number {
  return Math.min(MOST_ITERATIONS, Math.max(1, Math.ceil(REPEAT_SECONDS / Math.max(seconds, 1e-6))));
}

export interface Operation<T> {
  /** Starts the operation; on a GPU it may still be queued when this returns. */
  readonly start: () => T;
  /** Resolves when all that was started is done. */
  readonly finish: (results: readonly T[]) => Promise<void>;
  /** Frees what one operation returned. */
  readonly free: (result: T) => void;
  /** The values that all participants compare, from one result. */
  readonly read: (result: T) => Promise<Float32Array>;
  /** Frees the inputs. */
  readonly release: () => void;
}

/** Runs once for the check values and twice to warm up, then repeats as often as a repeat needs to be measurable. */
export async function prepareOperation<T>(operation: Operation<T>): Promise<Prepared> {
  const { start, finish, free, read, release } = operation;
  const batch = async (count: number): Promise<number> => {
    const began = performance.now();
    const results = Array.from({ length: count }, start);
    await finish(results);
    const seconds = secondsSince(began) / count;
    results.forEach(free);
    return seconds;
  };
  const first = start();
  const check = await read(first);
  free(first);
  await batch(1);
  const iterations = iterationsFor(await batch(1));
  return {
    check,
    run: async () => ({ seconds: await batch(iterations) }),
    dispose: release,
  };
}

/** Work that computing `check` warms up. `once` ends when its results are there. A repeat does it often enough to be measurable. */
export function preparedWork(
  once: () => Promise<void>,
  check: Float32Array | null,
  dispose: () => void | Promise<void>,
): Prepared {
  return {
    check,
    run: async () => {
      const began = performance.now();
      let count = 0;
      do {
        await once();
        count++;
      } while (secondsSince(began) < WORK_SECONDS);
      return { seconds: secondsSince(began) / count };
    },
    dispose,
  };
}
