/**
 * The page's end of one generator worker. A worker that breaks is replaced and gets the newest weights again; what it had
 * not answered comes back as failed rollouts.
 */
import { PendingRequest } from './requests.ts';
import type { AdapterMessage, FromGenerator, StartMessage, ToGenerator, WeightsMessage } from './protocol.ts';
import type { GenerateOptions, GroupRequest, GroupResult, SamplingSettings } from './types.ts';
import type { WeightBytes } from './weights.ts';
import type { WeightReader } from './weightPublisher.ts';

/** A worker that breaks this often is not going to work. */
const MAX_REPLACEMENTS = 2;

type HandOver = Omit<WeightsMessage, 'delivery'> | Omit<AdapterMessage, 'delivery'>;

interface Unread {
  readonly bytes: Uint8Array;
  readonly read: Promise<void>;
  readonly markRead: () => void;
}

export class GeneratorWorker implements WeightReader {
  readonly #start: StartMessage;
  #worker: Worker;
  /** The newest weights, and the newest adapter for them. */
  #newest: readonly HandOver[] = [];
  #deliveries = 0;
  /** Deliveries whose shared bytes the worker has not read yet. */
  readonly #unread = new Map<number, Unread>();
  #nextId = 1;
  #replacements = 0;
  #dead: string | null = null;
  readonly #pending = new Map<number, PendingRequest>();
  /** Of this worker and of those that it replaced. */
  #busySeconds = 0;
  #earlierBusySeconds = 0;

  constructor(start: StartMessage) {
    this.#start = start;
    this.#worker = this.#spawn();
  }

  /** Seconds of work on requests, as it last said. */
  get busySeconds(): number {
    return this.#earlierBusySeconds + this.#busySeconds;
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<FromGenerator>) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#break(event.message || 'The worker stopped without a message.');
    };
    worker.postMessage(this.#start satisfies ToGenerator);
    return worker;
  }

  #send(message: ToGenerator): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromGenerator): void {
    if (message.type === 'broken') return this.#break(message.message);
    if (message.type === 'read') return this.#markRead(message.delivery);
    this.#busySeconds = message.busySeconds;
    const pending = this.#pending.get(message.id);
    switch (message.type) {
      case 'progress':
        pending?.progress(message.tokens, message.finished);
        return;
      case 'group':
        pending?.receive(message.index, message.group);
        return;
      case 'done':
      case 'failed':
      case 'aborted':
        this.#pending.delete(message.id);
        pending?.end(message.type === 'failed' ? message.message : 'Stopped.');
    }
  }

  #break(reason: string): void {
    this.#worker.terminate();
    this.#earlierBusySeconds = this.busySeconds;
    this.#busySeconds = 0;
    if (++this.#replacements > MAX_REPLACEMENTS) {
      this.#dead = reason;
      this.#markAllRead();
    } else {
      this.#worker = this.#spawn();
      // What the old one had left to read, nobody will.
      this.#markAllRead();
      for (const handOver of this.#newest) this.#deliver(handOver);
    }
    // Whoever hears of it may ask again at once.
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const request of pending) request.end(reason);
  }

  #markRead(delivery: number): void {
    this.#unread.get(delivery)?.markRead();
    this.#unread.delete(delivery);
  }

  #markAllRead(): void {
    for (const delivery of this.#unread.keys()) this.#markRead(delivery);
  }

  #deliver(handOver: HandOver): void {
    if (this.#dead !== null) return;
    const delivery = this.#deliveries++;
    const { bytes } = handOver;
    if (bytes.buffer instanceof ArrayBuffer) {
      const copy = bytes.slice();
      this.#worker.postMessage({ ...handOver, delivery, bytes: copy } satisfies ToGenerator, [copy.buffer]);
      return;
    }
    let markRead = (): void => undefined;
    const read = new Promise<void>((resolve) => (markRead = resolve));
    this.#unread.set(delivery, { bytes, read, markRead });
    this.#send({ ...handOver, delivery });
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
   * Groups in order; completions of a failed request have the stop reason `error`.
   * @throws the signal's reason when aborted.
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
    if (this.#dead === null) {
      this.#pending.set(id, pending);
      this.#send({ type: 'generate', id, requests, sampling });
    } else {
      const reason = this.#dead;
      queueMicrotask(() => pending.end(reason));
    }
    const abort = (): void => this.#send({ type: 'abort', id });
    signal?.addEventListener('abort', abort, { once: true });
    const groups = await pending.groups;
    signal?.removeEventListener('abort', abort);
    signal?.throwIfAborted();
    return groups;
  }

  dispose(): void {
    this.#worker.terminate();
    this.#pending.clear();
    this.#markAllRead();
  }
}
