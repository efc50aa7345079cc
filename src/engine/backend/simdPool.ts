/** The threads: workers with the same module on the same memory. If one dies with a part of a kernel, all of them are replaced. */
import {
  DEADLINE,
  realTimers,
  silenceAllowed,
  type Deadline,
  type Timers,
} from '@rl-playground/base/deadline';
import { Crowding } from './simdCrowding.ts';
import { MAX_PARTS, leftMemory, ThreadsSilent, Tickets, type Kernel } from './simdTickets.ts';
import type { KernelPlace, ThreadStart } from './simdWorker.ts';

export interface Pool {
  /** The number of threads that run kernels, including the caller. */
  readonly threads: number;
  /**
   * Runs `kernels[kernel](first, last, …args)` over all items, in parts that are multiples of `grain`.
   *
   * @throws ThreadsSilent if a thread keeps a part for longer than the deadline: the outputs of the kernel are then undefined.
   */
  run(kernel: number, items: number, grain: number, args: readonly number[]): void;
  /** Adds the kernels on another memory, and resolves to the number of the first of them. Until then no thread but the caller works. */
  add(kernels: readonly Kernel[], place: KernelPlace): Promise<number>;
}

/** The parts for each thread. There are several, so that a slow or late thread takes fewer of them. */
const PARTS_PER_THREAD = 4;

function runAlone(kernels: readonly Kernel[], kernel: number, items: number, args: readonly number[]): void {
  try {
    kernels[kernel]?.(0, items, ...args);
  } catch {
    throw leftMemory();
  }
}

export function callerOnly(first: readonly Kernel[]): Pool {
  const kernels = [...first];
  return {
    threads: 1,
    run: (kernel, items, _grain, args) => runAlone(kernels, kernel, items, args),
    add: (more) => Promise.resolve(kernels.push(...more) - more.length),
  };
}

/** Starts `threads` − 1 workers. Those that fail to start are left out, and the caller does their work. */
export async function startPool(
  kernels: readonly Kernel[],
  threads: number,
  place: KernelPlace,
  deadline: Deadline = DEADLINE,
  timers: Timers = realTimers,
): Promise<Pool> {
  const first = await startCrew(threads, [place], deadline, timers);
  return first === null ? callerOnly(kernels) : new SharedPool(kernels, first, place, deadline, timers);
}

class SharedPool implements Pool {
  readonly threads: number;
  #kernels: readonly Kernel[];
  #places: readonly KernelPlace[];
  readonly #deadline: Deadline;
  readonly #timers: Timers;
  /** The threads, or null while others are started in the place of dead ones. The caller then works alone, to the same bits. */
  #crew: Crew | null;
  /** The milliseconds of this crew's last shared kernel. */
  #lastRound: number | null = null;
  readonly #crowding = new Crowding();

  constructor(
    kernels: readonly Kernel[],
    crew: Crew,
    place: KernelPlace,
    deadline: Deadline,
    timers: Timers,
  ) {
    this.threads = crew.threads;
    this.#kernels = kernels;
    this.#crew = crew;
    this.#places = [place];
    this.#deadline = deadline;
    this.#timers = timers;
  }

  run(kernel: number, items: number, grain: number, args: readonly number[]): void {
    const maxParts = Math.min(this.threads * PARTS_PER_THREAD, MAX_PARTS);
    const granules = Math.ceil(items / grain);
    const partSize = Math.ceil(granules / Math.min(granules, maxParts)) * grain;
    const parts = Math.ceil(items / partSize);
    const crew = this.#crew;
    const alone = (): void => runAlone(this.#kernels, kernel, items, args);
    if (parts <= 1 || crew === null) return alone();
    const now = (): number => this.#timers.now();
    const began = now();
    if (this.#crowding.worksAlone(began)) return alone();
    const { tickets } = crew;
    tickets.offer({ kernel, items, parts, partSize, args });
    const own = tickets.work(this.#kernels);
    const worked = now() - began;
    try {
      tickets.finish(silenceAllowed(this.#deadline, this.#lastRound), now);
    } catch (error) {
      if (error instanceof ThreadsSilent) void this.#replaceCrew();
      throw error;
    }
    const ended = now();
    this.#lastRound = ended - began;
    this.#crowding.ended({ worked, took: ended - began, parts, own }, ended);
  }

  async add(kernels: readonly Kernel[], place: KernelPlace): Promise<number> {
    const first = this.#kernels.length;
    this.#kernels = [...this.#kernels, ...kernels];
    this.#places = [...this.#places, place];
    await this.#replaceCrew();
    return first;
  }

  async #replaceCrew(): Promise<void> {
    const places = this.#places;
    this.#crew?.dismiss();
    this.#crew = null;
    this.#lastRound = null;
    // The new crew has no more threads than before, because scratch memory is handed out by number.
    const crew = await startCrew(this.threads, places, this.#deadline, this.#timers);
    // Another crew may have been asked for meanwhile, for one more memory or because of a death.
    if (this.#crew === null && places === this.#places) this.#crew = crew;
    else crew?.dismiss();
  }
}

/** Threads that share tickets. */
interface Crew {
  /** The highest number of a thread that started, plus the caller: scratch memory is handed out by number. */
  readonly threads: number;
  readonly tickets: Tickets;
  dismiss(): void;
}

/** Starts threads; null if none started. */
async function startCrew(
  threads: number,
  places: readonly KernelPlace[],
  { first }: Deadline,
  timers: Timers,
): Promise<Crew | null> {
  const tickets = new Tickets();
  const workers = await Promise.all(
    Array.from({ length: threads - 1 }, (_, i) =>
      startThread({ places, tickets: tickets.buffer, thread: i + 1 }, first, timers),
    ),
  );
  const last = workers.findLastIndex((worker) => worker !== null);
  if (last < 0) return null;
  return {
    threads: last + 2,
    tickets,
    dismiss() {
      for (const worker of workers) worker?.terminate();
    },
  };
}

/** Starts a thread; null if it does not start `within` so many milliseconds. */
async function startThread(start: ThreadStart, within: number, timers: Timers): Promise<Worker | null> {
  const worker = new Worker(new URL('./simdWorker.ts', import.meta.url), { type: 'module' });
  let takeBack = (): void => undefined;
  const started = await new Promise<boolean>((resolve) => {
    worker.addEventListener('message', () => resolve(true), { once: true });
    worker.addEventListener('error', () => resolve(false), { once: true });
    takeBack = timers.after(within, () => resolve(false));
    worker.postMessage(start);
  });
  takeBack();
  if (started) return worker;
  worker.terminate();
  return null;
}
