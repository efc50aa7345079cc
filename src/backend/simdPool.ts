/** Threads for the SIMD kernels: workers with the same module on the same memory. */
import { MAX_PARTS, Tickets, type Kernel } from './simdTickets.ts';
import type { ThreadStart } from './simdWorker.ts';

export interface Pool {
  /** Threads that run kernels, the caller's included. */
  readonly threads: number;
  /** Runs `kernels[kernel](first, last, …args)` over all items, in parts that are multiples of `grain`. */
  run(kernel: number, items: number, grain: number, args: readonly number[]): void;
}

/** Several, so that a thread that is slower or comes late takes fewer of them. */
const PARTS_PER_THREAD = 4;

export const callerOnly = (kernels: readonly Kernel[]): Pool => ({
  threads: 1,
  run: (kernel, items, _grain, args) => void kernels[kernel]?.(0, items, ...args),
});

/** Starts `threads` − 1 workers. Those that fail to start are left out, and the caller does their work. */
export async function startPool(
  kernels: readonly Kernel[],
  threads: number,
  start: Omit<ThreadStart, 'tickets' | 'thread'>,
): Promise<Pool> {
  const tickets = new Tickets();
  const workers = Array.from({ length: threads - 1 }, (_, i) =>
    startThread({ ...start, tickets: tickets.buffer, thread: i + 1 }),
  );
  // By the number of the last one that started: scratch memory is handed out by number.
  const started = (await Promise.all(workers)).lastIndexOf(true) + 2;
  if (started === 1) return callerOnly(kernels);
  const maxParts = Math.min(started * PARTS_PER_THREAD, MAX_PARTS);
  return {
    threads: started,
    run(kernel, items, grain, args) {
      const granules = Math.ceil(items / grain);
      const partSize = Math.ceil(granules / Math.min(granules, maxParts)) * grain;
      const parts = Math.ceil(items / partSize);
      if (parts <= 1) {
        kernels[kernel]?.(0, items, ...args);
        return;
      }
      tickets.offer({ kernel, items, parts, partSize, args });
      tickets.work(kernels);
      tickets.finish();
    },
  };
}

async function startThread(start: ThreadStart): Promise<boolean> {
  const worker = new Worker(new URL('./simdWorker.ts', import.meta.url), { type: 'module' });
  return new Promise((resolve) => {
    worker.addEventListener('message', () => resolve(true), { once: true });
    worker.addEventListener('error', () => resolve(false), { once: true });
    worker.postMessage(start);
  });
}
