/** One thread of the pool: the kernels on the shared memory, and a loop that never returns to the event loop. */
import { Tickets, type Kernel } from './simdTickets.ts';

export interface ThreadStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
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
  const { exports } = new WebAssembly.Instance(data.module, { env: { memory: data.memory } });
  const kernels = Object.values(exports) as Kernel[];
  const tickets = new Tickets(data.tickets);
  (exports['setThread'] as Kernel)(data.thread);
  postMessage('ready');
  for (;;) {
    tickets.work(kernels);
    tickets.awaitOffer(SPINS);
  }
});
