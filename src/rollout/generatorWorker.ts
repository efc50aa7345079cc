/**
 * The page's end of one generator worker. A worker that breaks is replaced and gets the newest weights again; its requests
 * come back as failed rollouts.
 */
import type { FromGenerator, StartMessage, ToGenerator } from './protocol.ts';
import type { GroupRequest, GroupResult, SamplingSettings } from './types.ts';

/** A worker that breaks this often is not going to work. */
const MAX_REPLACEMENTS = 2;

const noWeights = (reason: string): Error => new Error(`A generator could not take the weights: ${reason}`);

type ProgressMessage = Extract<FromGenerator, { type: 'progress' }>;

interface PendingRequest {
  readonly requests: readonly GroupRequest[];
  readonly resolve: (groups: readonly GroupResult[]) => void;
  readonly onProgress: (message: ProgressMessage) => void;
}

export class GeneratorWorker {
  readonly #start: StartMessage;
  #worker: Worker;
  #weights: { version: number; packed: Float32Array } | null = null;
  #weightsSet: { version: number; resolve: () => void; reject: (error: Error) => void } | null = null;
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
      case 'weights-set':
        if (this.#weightsSet?.version === message.version) this.#weightsSet.resolve();
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
      this.#weightsSet?.reject(noWeights(reason));
      return;
    }
    this.#worker = this.#spawn();
    if (this.#weights) this.#send({ type: 'weights', ...this.#weights });
  }

  setWeights(version: number, packed: Float32Array): Promise<void> {
    this.#weights = { version, packed };
    if (this.#dead !== null) return Promise.reject(noWeights(this.#dead));
    return new Promise((resolve, reject) => {
      this.#weightsSet = { version, resolve, reject };
      this.#send({ type: 'weights', version, packed });
    });
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
