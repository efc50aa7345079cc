/**
 * The page's end of one generator worker. A worker that breaks is replaced and gets the newest weights again; its requests
 * come back as failed rollouts.
 */
import type { FromGenerator, StartMessage, ToGenerator } from './protocol.ts';
import type { GroupRequest, GroupResult, SamplingSettings } from './types.ts';
import type { WeightBytes } from './weightFormat.ts';
import type { WeightReader } from './weightPublisher.ts';

/** A worker that breaks this often is not going to work. */
const MAX_REPLACEMENTS = 2;

type ProgressMessage = Extract<FromGenerator, { type: 'progress' }>;

interface PendingRequest {
  readonly requests: readonly GroupRequest[];
  readonly resolve: (groups: readonly GroupResult[]) => void;
  readonly onProgress: (message: ProgressMessage) => void;
}

interface SentWeights {
  readonly version: number;
  readonly weights: WeightBytes;
}

interface Unread {
  readonly bytes: Uint8Array;
  readonly read: Promise<void>;
  readonly markRead: () => void;
}

export class GeneratorWorker implements WeightReader {
  readonly #start: StartMessage;
  #worker: Worker;
  #newest: SentWeights | null = null;
  /** Versions whose shared bytes the worker has not read yet. */
  readonly #unread = new Map<number, Unread>();
  #nextId = 1;
  #replacements = 0;
  #dead: string | null = null;
  readonly #pending = new Map<number, PendingRequest>();

  constructor(start: StartMessage) {
    this.#start = start;
    this.#worker = this.#spawn();
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
    switch (message.type) {
      case 'weights-read':
        this.#markRead(message.version);
        return;
      case 'progress':
        this.#pending.get(message.id)?.onProgress(message);
        return;
      case 'result':
        this.#settle(message.id, (pending) => pending.resolve(message.groups));
        return;
      case 'failed':
      case 'aborted': {
        const reason = message.type === 'failed' ? message.message : 'Stopped.';
        this.#settle(message.id, (pending) => pending.resolve(failedGroups(pending.requests, reason)));
        return;
      }
      case 'broken':
        this.#break(message.message);
    }
  }

  #settle(id: number, act: (pending: PendingRequest) => void): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending) act(pending);
  }

  #break(reason: string): void {
    for (const pending of this.#pending.values()) pending.resolve(failedGroups(pending.requests, reason));
    this.#pending.clear();
    this.#worker.terminate();
    if (++this.#replacements > MAX_REPLACEMENTS) {
      this.#dead = reason;
      this.#markRead(Infinity);
      return;
    }
    this.#worker = this.#spawn();
    if (!this.#newest) return;
    // The new worker reads the newest weights; whatever the old one had left to read, nobody will.
    this.#markRead(this.#newest.version - 1);
    this.#sendWeights(this.#newest);
  }

  #markRead(upTo: number): void {
    for (const [version, { markRead }] of this.#unread) {
      if (version > upTo) continue;
      this.#unread.delete(version);
      markRead();
    }
  }

  #sendWeights({ version, weights: { precision, bytes } }: SentWeights): void {
    const message = { type: 'weights', version, precision } as const;
    if (bytes.buffer instanceof ArrayBuffer) {
      const copy = bytes.slice();
      this.#worker.postMessage({ ...message, bytes: copy } satisfies ToGenerator, [copy.buffer]);
      return;
    }
    if (!this.#unread.has(version)) {
      let markRead = (): void => undefined;
      const read = new Promise<void>((resolve) => (markRead = resolve));
      this.#unread.set(version, { bytes, read, markRead });
    }
    this.#send({ ...message, bytes });
  }

  setWeights(version: number, weights: WeightBytes): void {
    this.#newest = { version, weights };
    if (this.#dead === null) this.#sendWeights(this.#newest);
  }

  async doneWith(bytes: Uint8Array): Promise<void> {
    const unread = [...this.#unread.values()].filter((version) => version.bytes === bytes);
    await Promise.all(unread.map(({ read }) => read));
  }

  /** Groups in order; completions of a failed or aborted request have the stop reason `error`. */
  generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    signal: AbortSignal | undefined,
    onProgress: (message: ProgressMessage) => void,
  ): Promise<readonly GroupResult[]> {
    if (this.#dead !== null) return Promise.resolve(failedGroups(requests, this.#dead));
    const id = this.#nextId++;
    const abort = (): void => this.#send({ type: 'abort', id });
    signal?.addEventListener('abort', abort, { once: true });
    return new Promise<readonly GroupResult[]>((resolve) => {
      this.#pending.set(id, { requests, resolve, onProgress });
      this.#send({ type: 'generate', id, requests, sampling });
    }).finally(() => signal?.removeEventListener('abort', abort));
  }

  dispose(): void {
    this.#worker.terminate();
    this.#pending.clear();
    this.#markRead(Infinity);
  }
}

function failedGroups(requests: readonly GroupRequest[], error: string): GroupResult[] {
  return requests.map((request) => ({
    policyVersion: -1,
    completions: Array.from({ length: request.samples }, () => ({
      tokens: [],
      logprobs: [],
      stopReason: 'error' as const,
      error,
    })),
  }));
}
