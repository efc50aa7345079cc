/** A SIMD thread that takes one part of a kernel and ends without finishing it. */
import { MAX_PARTS, Tickets } from '../backend/simdTickets.ts';
import type { ThreadStart } from '../backend/simdWorker.ts';

/** The start message of such a thread. */
export interface DyingStart extends ThreadStart {
  /** One word: the number of threads that have taken their part. */
  readonly taken: SharedArrayBuffer;
}

addEventListener('message', ({ data }: MessageEvent<DyingStart>) => {
  const tickets = new Tickets(data.tickets);
  const words = new Int32Array(data.tickets, 0, 1);
  postMessage('ready');
  for (;;) {
    tickets.awaitOffer(1000);
    const ticket = Atomics.load(words, 0);
    if ((ticket & MAX_PARTS) > 0 && Atomics.compareExchange(words, 0, ticket, ticket - 1) === ticket) break;
  }
  Atomics.add(new Int32Array(data.taken), 0, 1);
  globalThis.close();
});
