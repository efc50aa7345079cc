/**
 * The block of shared memory through which a caller gives one kernel at a time to a pool of threads. The work is cut into parts, and
 * whoever is free takes the next one. So a thread that the system has stopped delays one part and not its whole share.
 *
 * The ticket is one word: the number of the call, and how many of its parts are not yet taken. Taking a part is a compare-and-exchange on
 * that word, which fails if the call is over. If it succeeds, what a thread has read of the call before is still true, because nothing is
 * overwritten until every part is done.
 */

const TICKET = 0;
const DONE = 1;
const SLEEPERS = 2;
const KERNEL = 3;
const PARTS = 4;
const PART_SIZE = 5;
const ITEMS = 6;
const ARGUMENT_COUNT = 7;
const FAILED = 8;
/** The number of words. It is even, so that the numbers after them are aligned. */
const WORDS = 10;

/** Low bits of the ticket that count the parts left; the rest are the call's number, which wraps. */
const PART_BITS = 12;
export const MAX_PARTS = 2 ** PART_BITS - 1;
const MAX_ARGUMENTS = 32;
/** The spins between two looks at the clock: some 20 µs. */
const SPINS_PER_LOOK = 4096;

/** A thread keeps a part that it has taken, because it is dead or hangs. */
export class ThreadsSilent extends Error {
  override readonly name = 'ThreadsSilent';

  constructor(allowed: number) {
    super(
      `A thread of the CPU took a part of the work and did not end it within ${Math.round(allowed / 1000)} s: the browser may have ended it for want of memory. ` +
        'Nothing was learned from this step; other threads are being started. Train to go on.',
    );
  }
}

/** The error of a kernel that left its memory, the only one that a kernel can make. */
export const leftMemory = (): Error =>
  new Error('A SIMD kernel left the memory of the wasm backend: an address or a size is wrong.');

export type Kernel = (...args: number[]) => number | undefined;

export interface Call {
  /** The index of the kernel among the exports of the module. */
  readonly kernel: number;
  readonly items: number;
  readonly parts: number;
  /** Items in every part but the last. */
  readonly partSize: number;
  readonly args: readonly number[];
}

export class Tickets {
  readonly buffer: SharedArrayBuffer;
  private readonly words: Int32Array;
  private readonly arguments: Float64Array;

  constructor(buffer = new SharedArrayBuffer(WORDS * 4 + MAX_ARGUMENTS * 8)) {
    this.buffer = buffer;
    this.words = new Int32Array(buffer, 0, WORDS);
    this.arguments = new Float64Array(buffer, WORDS * 4, MAX_ARGUMENTS);
  }

  /** Publishes a call and wakes threads that sleep. The previous call must be over. */
  offer({ kernel, items, parts, partSize, args }: Call): void {
    if (args.length > MAX_ARGUMENTS) throw new Error(`A kernel takes ${MAX_ARGUMENTS} arguments at most.`);
    const { words } = this;
    words[KERNEL] = kernel;
    words[PARTS] = parts;
    words[PART_SIZE] = partSize;
    words[ITEMS] = items;
    words[ARGUMENT_COUNT] = args.length;
    this.arguments.set(args);
    words[FAILED] = 0;
    Atomics.store(words, DONE, 0);
    const call = (Atomics.load(words, TICKET) >>> PART_BITS) + 1;
    Atomics.store(words, TICKET, (call << PART_BITS) | parts);
    if (Atomics.load(words, SLEEPERS) > 0) Atomics.notify(words, TICKET);
  }

  /** Runs parts of the current call for as long as there are any, and returns their number. */
  work(kernels: readonly Kernel[]): number {
    const { words } = this;
    let own = 0;
    for (let ticket = Atomics.load(words, TICKET); (ticket & MAX_PARTS) > 0;) {
      const kernel = kernels[words[KERNEL] ?? 0];
      const items = words[ITEMS] ?? 0;
      const partSize = words[PART_SIZE] ?? 0;
      const parts = words[PARTS] ?? 0;
      const args = [...this.arguments.subarray(0, words[ARGUMENT_COUNT])];
      const call = ticket >>> PART_BITS;
      while (ticket >>> PART_BITS === call && (ticket & MAX_PARTS) > 0) {
        const found = Atomics.compareExchange(words, TICKET, ticket, ticket - 1);
        if (found !== ticket) {
          ticket = found;
          continue;
        }
        const first = (parts - (ticket & MAX_PARTS)) * partSize;
        try {
          kernel?.(first, Math.min(first + partSize, items), ...args);
        } catch {
          Atomics.store(words, FAILED, 1);
        }
        Atomics.add(words, DONE, 1);
        own++;
        ticket = Atomics.load(words, TICKET);
      }
    }
    return own;
  }

  /**
   * Waits for the parts that other threads have taken. It spins, because a page's main thread may not sleep. `allowed` is the longest
   * time without a finished part, by the clock `now`. @throws Error if a part failed, and ThreadsSilent.
   */
  finish(allowed: number, now: () => number): void {
    const { words } = this;
    const parts = words[PARTS] ?? 0;
    let done = Atomics.load(words, DONE);
    let silent = 0;
    let looked: number | null = null;
    for (let spin = 1; done < parts; spin++) {
      const newer = Atomics.load(words, DONE);
      if (newer > done) [done, silent] = [newer, 0];
      else if (spin % SPINS_PER_LOOK === 0) {
        const time = now();
        // A machine that slept meanwhile stopped the threads too.
        silent += Math.min(time - (looked ?? time), allowed / 4);
        looked = time;
        if (silent >= allowed) throw new ThreadsSilent(allowed);
      }
    }
    if (Atomics.load(words, FAILED) !== 0) {
      throw leftMemory();
    }
  }

  /** Looks for a new call `spins` times, then sleeps until there is one. */
  awaitOffer(spins: number): void {
    const { words } = this;
    let ticket = 0;
    for (let spin = 0; spin < spins; spin++) {
      ticket = Atomics.load(words, TICKET);
      if ((ticket & MAX_PARTS) > 0) return;
    }
    Atomics.add(words, SLEEPERS, 1);
    Atomics.wait(words, TICKET, ticket);
    Atomics.sub(words, SLEEPERS, 1);
  }
}
