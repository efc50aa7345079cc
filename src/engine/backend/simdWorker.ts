/** One thread of the pool: the kernels on the shared memory, and a loop that never returns to the event loop. */
import { Tickets, type Kernel } from './simdTickets.ts';

/** Kernels on a memory. */
export interface KernelPlace {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

export interface ThreadStart {
  /** The kernels of all are numbered one after the other. */
  readonly places: readonly KernelPlace[];
  readonly tickets: SharedArrayBuffer;
  /** The number of this thread, from 1; the caller of kernels is 0. */
  readonly thread: number;
}

/**
 * The spins before a thread sleeps, about 50 µs: longer than the gap between two kernels of a step, and short enough to leave an idle
 * machine idle.
 */
const SPINS = 10_000;

addEventListener('message', ({ data }: MessageEvent<ThreadStart>) => {
  const kernels = data.places.flatMap(({ module, memory }) => {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    (exports['setThread'] as Kernel)(data.thread);
    return Object.values(exports) as Kernel[];
  });
  const tickets = new Tickets(data.tickets);
  postMessage('ready');
  for (;;) {
    tickets.work(kernels);
    tickets.awaitOffer(SPINS);
  }
});
