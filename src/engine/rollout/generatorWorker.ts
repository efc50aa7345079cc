/**
 * The page's side of one generator worker. A worker that breaks, hangs or silently disappears is replaced. The new one gets the newest
 * weights and the requests that are still open. A draw depends on its coordinates alone, so its answers are those that the first one
 * would have given.
 */
import {
  DEADLINE,
  realTimers,
  SilenceWatch,
  STOP,
  stopPatience,
  type Deadline,
  type Timers,
} from '@rl-playground/base/deadline';
import { messageOf } from '@rl-playground/base/errors';
import { giveRoomBack, takeRoom, type HeapRoom } from '../backend/sharedHeap.ts';
import type { BasePiece, BaseSource } from '../model/baseSource.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import { GeneratorSilent, PendingRequest } from './requests.ts';
import type { AdapterMessage, FromGenerator, StartMessage, ToGenerator, WeightsMessage } from './protocol.ts';
import type { GenerateOptions, GroupRequest, GroupResult, SamplingSettings } from './decoding/types.ts';
import type { WeightBytes } from './decoding/weights.ts';
import type { WeightReader } from './weightPublisher.ts';

/** The number of workers that may break over the same answers before these are given up. */
const MOST_BREAKS = 3;

const allowing = (milliseconds: number): Deadline => ({
  first: milliseconds,
  least: milliseconds,
  rounds: 0,
});

type HandOver = Omit<WeightsMessage, 'delivery'> | Omit<AdapterMessage, 'delivery'>;

/** The error of answers that will not come. */
export class GeneratorBroken extends Error {
  override readonly name = 'GeneratorBroken';

  constructor(reason: string) {
    super(
      `A generator broke ${MOST_BREAKS} times over the same answers: ${reason}\n` +
        'They are missing, so nothing was learned from the others. Take shorter or fewer answers, fewer generators, or a smaller model.',
    );
  }
}

/** A request to the worker, with the places of its groups in the caller's request. */
interface Asked {
  readonly pending: PendingRequest;
  readonly sampling: SamplingSettings;
  indices: readonly number[];
  /** The caller's own watch; null if the worker's is enough. */
  readonly watch: SilenceWatch | null;
}

interface Unread {
  readonly bytes: Uint8Array;
  readonly read: Promise<void>;
  readonly markRead: () => void;
}

export class GeneratorWorker implements WeightReader {
  readonly #start: StartMessage;
  readonly #deadline: Deadline;
  readonly #timers: Timers;
  /** Runs while the worker owes an answer. */
  readonly #watch: SilenceWatch;
  /** The newest weights, and the newest adapter for them. */
  #newest: readonly HandOver[] = [];
  /** The frozen base, in place of weights. */
  #base: { readonly version: number; readonly base: BaseSource } | null = null;
  /** Its room on this thread's heap, where it computes with the base. */
  #room: HeapRoom | null = null;
  #deliveries = 0;
  /** Deliveries whose shared bytes the worker has not read yet. */
  readonly #unread = new Map<number, Unread>();
  #nextId = 1;
  /** The breaks since a request was last answered. */
  #breaks = 0;
  /** The reason of the last break. */
  #reason = '';
  /** The worker; null from the giving up of answers until the next request. */
  #worker: Worker | null;
  #disposed = false;
  readonly #asked = new Map<number, Asked>();
  /** The seconds of this worker, and of those that it replaced. */
  #busySeconds = 0;
  #earlierBusySeconds = 0;

  constructor(start: StartMessage, deadline: Deadline = DEADLINE, timers: Timers = realTimers) {
    this.#start = start;
    this.#deadline = deadline;
    this.#timers = timers;
    this.#watch = new SilenceWatch(deadline, (allowed) => this.#break(silence(allowed)), timers);
    this.#worker = this.#spawn();
  }

  /** The seconds of work on requests that it last reported. */
  get busySeconds(): number {
    return this.#earlierBusySeconds + this.#busySeconds;
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    // A worker that is being ended may have sent messages that have not arrived yet.
    const speaks = (): boolean => worker === this.#worker;
    worker.onmessage = ({ data }: MessageEvent<FromGenerator>) => {
      if (speaks()) this.#receive(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (speaks()) this.#break(event.message || 'The worker stopped without a message.');
    };
    worker.onmessageerror = () => {
      if (speaks()) this.#break('The worker sent what could not be read.');
    };
    worker.postMessage(this.#start satisfies ToGenerator);
    return worker;
  }

  #send(message: ToGenerator): void {
    this.#worker?.postMessage(message);
  }

  #receive(message: FromGenerator): void {
    if (message.type === 'broken') return this.#break(message.message);
    this.#watch.heard();
    for (const { watch } of this.#asked.values()) watch?.heard();
    if (message.type === 'alive') return;
    if (message.type === 'read') return this.#markRead(message.delivery);
    this.#busySeconds = message.busySeconds;
    const asked = this.#asked.get(message.id);
    if (!asked) return;
    const { pending, indices } = asked;
    switch (message.type) {
      case 'progress':
        this.#watch.roundEnded();
        pending.progress(message.tokens, message.finished);
        return;
      case 'group':
        pending.receive(indices[message.index] ?? NaN, message.group);
        return;
      case 'done':
      case 'failed':
      case 'aborted':
        this.#breaks = 0;
        this.#forget(message.id);
        pending.end(message.type === 'failed' ? message.message : 'Stopped.');
    }
  }

  /** Starts or ends the watch, depending on whether the worker owes an answer. */
  #watchIfOwed(): void {
    if (this.#worker !== null && this.#asked.size + this.#unread.size > 0) this.#watch.begin();
    else this.#watch.end();
  }

  #forget(id: number): void {
    this.#asked.get(id)?.watch?.end();
    this.#asked.delete(id);
    this.#watchIfOwed();
  }

  #break(reason: string): void {
    if (this.#disposed) return;
    this.#worker?.terminate();
    this.#watch.restart();
    this.#worker = null;
    this.#reason = reason;
    this.#earlierBusySeconds = this.busySeconds;
    this.#busySeconds = 0;
    // The old worker will not read its deliveries any more.
    this.#markAllRead();
    if (++this.#breaks < MOST_BREAKS) {
      this.#replace();
      return;
    }
    this.#breaks = 0;
    // The callers may ask again at once.
    const given = [...this.#asked.entries()];
    for (const [id] of given) this.#forget(id);
    for (const [, { pending }] of given) pending.giveUp(new GeneratorBroken(reason));
  }

  /** Starts another worker in place of the old one. */
  #replace(): void {
    this.#worker = this.#spawn();
    if (this.#base) void this.#sendBase(this.#base).catch((error: unknown) => this.#break(messageOf(error)));
    for (const handOver of this.#newest) this.#deliver(handOver);
    for (const [id, asked] of this.#asked) {
      const { pending } = asked;
      if (pending.aborted) {
        this.#forget(id);
        pending.end('Stopped.');
      } else this.#ask(id, asked);
    }
    this.#watchIfOwed();
  }

  #ask(id: number, asked: Asked): void {
    const { left } = asked.pending;
    asked.indices = left.map(([index]) => index);
    const requests = left.map(([, request]) => request);
    this.#send({ type: 'generate', id, requests, sampling: asked.sampling });
  }

  #markRead(delivery: number): void {
    this.#unread.get(delivery)?.markRead();
    this.#unread.delete(delivery);
    this.#watchIfOwed();
  }

  #markAllRead(): void {
    for (const delivery of this.#unread.keys()) this.#markRead(delivery);
  }

  #deliver(handOver: HandOver): void {
    if (this.#worker === null) return;
    const delivery = this.#deliveries++;
    const { bytes } = handOver;
    if (bytes.buffer instanceof ArrayBuffer) {
      const copy = bytes.slice();
      this.#worker.postMessage({ ...handOver, delivery, bytes: copy } satisfies ToGenerator, [copy.buffer]);
      return;
    }
    void this.#expectRead(delivery, bytes);
    this.#send({ ...handOver, delivery });
  }

  /** Resolves when the worker has read a delivery, or will never read it. */
  #expectRead(delivery: number, bytes: Uint8Array): Promise<void> {
    let markRead = (): void => undefined;
    const read = new Promise<void>((resolve) => (markRead = resolve));
    this.#unread.set(delivery, { bytes, read, markRead });
    this.#watchIfOwed();
    return read;
  }

  /** Resolves when the worker has the whole base. @throws GeneratorBroken if one worker after the other breaks. */
  async setBase(version: number, base: BaseSource): Promise<void> {
    this.#base = { version, base };
    if (this.#worker === null && !this.#disposed) {
      this.#worker = this.#spawn();
      for (const handOver of this.#newest) this.#deliver(handOver);
    }
    await this.#sendBase(this.#base);
    if (this.#worker === null) throw new GeneratorBroken(this.#reason);
  }

  /** Tells the worker where the base lies, or sends it piece by piece if the worker can't read it there. A worker that replaces this one is sent all of it. */
  async #sendBase({ version, base }: { readonly version: number; readonly base: BaseSource }): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const room = base instanceof FrozenBase ? this.#roomBeside() : null;
    if (room !== null && base instanceof FrozenBase) {
      const shared = await base.shared(room);
      if (this.#worker !== worker) return;
      const delivery = this.#deliveries++;
      const read = this.#expectRead(delivery, shared.vectors);
      this.#send({ type: 'sharedBase', delivery, version, base: shared });
      return read;
    }
    let before: BasePiece | null = null;
    const post = async (piece: BasePiece, last: boolean): Promise<void> => {
      const delivery = this.#deliveries++;
      const read = this.#expectRead(delivery, piece.words);
      const message: ToGenerator = { type: 'base', delivery, version, piece, last };
      worker.postMessage(message, [piece.words.buffer]);
      await read;
    };
    for await (const piece of base.pieces()) {
      if (before) await post(before, false);
      if (this.#worker !== worker) return;
      before = piece;
    }
    if (before) await post(before, true);
  }

  /** The worker's room on this thread's heap; null where it needs a copy of the base, to merge adapters or for want of shared memory. */
  #roomBeside(): HeapRoom | null {
    const { backend, model } = this.#start;
    if (backend === 'wasm' && model.merged !== true) this.#room ??= takeRoom();
    return this.#room;
  }

  setWeights(version: number, weights: WeightBytes): void {
    const handOver: HandOver = { type: 'weights', version, ...weights };
    this.#newest = [handOver];
    this.#deliver(handOver);
  }

  setAdapter(version: number, bytes: Uint8Array): void {
    const handOver: HandOver = { type: 'adapter', version, bytes };
    this.#newest = [...this.#newest.filter(({ type }) => type === 'weights'), handOver];
    this.#deliver(handOver);
  }

  async doneWith(bytes: Uint8Array): Promise<void> {
    const unread = [...this.#unread.values()].filter((delivery) => delivery.bytes === bytes);
    await Promise.all(unread.map(({ read }) => read));
  }

  /**
   * Returns groups in order. Completions of a failed request have the stop reason `error`.
   *
   * @throws the signal's reason when aborted, and GeneratorBroken if one worker after the other breaks.
   */
  async generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: GenerateOptions,
  ): Promise<GroupResult[]> {
    const { signal } = options;
    signal?.throwIfAborted();
    const pending = new PendingRequest(requests, options);
    const id = this.#nextId++;
    if (this.#worker === null) this.#replace();
    const watch = this.#watchFor(id, pending, options.patience);
    const asked = { pending, sampling, indices: [], watch };
    this.#asked.set(id, asked);
    this.#ask(id, asked);
    watch?.begin();
    this.#watchIfOwed();
    let ended = (): void => undefined;
    const abort = (): void => {
      this.#send({ type: 'abort', id });
      ended = this.#endSoon(id);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const groups = await pending.groups;
      signal?.throwIfAborted();
      return groups;
    } finally {
      signal?.removeEventListener('abort', abort);
      ended();
    }
  }

  #watchFor(id: number, pending: PendingRequest, patience: number | undefined): SilenceWatch | null {
    if (patience === undefined) return null;
    const giveUp = (allowed: number): void => {
      this.#forget(id);
      pending.giveUp(new GeneratorSilent(`A generator was waited for: ${silence(allowed)}`));
      this.#break(silence(allowed));
    };
    return new SilenceWatch(allowing(patience), giveUp, this.#timers);
  }

  /**
   * Ends an aborted request whatever the worker does: a silent worker is replaced, and the answers of one that is busy for long are
   * ignored. The function that is returned cancels this.
   */
  #endSoon(id: number): () => void {
    const watch = new SilenceWatch(
      allowing(this.#deadline.stop ?? STOP),
      (allowed) => this.#break(silence(allowed)),
      this.#timers,
    );
    const asked = this.#asked.get(id);
    if (asked) this.#asked.set(id, { ...asked, watch });
    asked?.watch?.end();
    watch.begin();
    // In as many parts as the watch: else, in a page whose alarms ring late, it could end before a silent worker is replaced.
    const longest = new SilenceWatch(
      allowing(stopPatience(this.#deadline)),
      () => {
        const pending = this.#asked.get(id)?.pending;
        this.#forget(id);
        pending?.end('Stopped.');
      },
      this.#timers,
    );
    longest.begin();
    return () => {
      watch.end();
      longest.end();
    };
  }

  dispose(): void {
    this.#disposed = true;
    this.#reason = 'The generators were disposed of.';
    this.#worker?.terminate();
    this.#worker = null;
    if (this.#room) giveRoomBack(this.#room);
    this.#room = null;
    for (const id of this.#asked.keys()) this.#forget(id);
    this.#markAllRead();
  }
}

const silence = (milliseconds: number): string =>
  `The worker said nothing for ${Math.round(milliseconds / 1000)} s.`;
