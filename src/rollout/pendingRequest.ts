/** A request that a generator worker is answering: its groups come one by one, and those that never come have failed. */
import { millisecondsNow } from './clock.ts';
import type { GenerateOptions, GroupRequest, GroupResult } from './types.ts';

export class PendingRequest {
  readonly #requests: readonly GroupRequest[];
  readonly #options: GenerateOptions;
  readonly #asked = millisecondsNow();
  readonly #groups: GroupResult[] = [];
  readonly #total: number;
  #resolve: (groups: GroupResult[]) => void = () => undefined;
  /** Groups in order, once there are all. */
  readonly groups: Promise<GroupResult[]>;

  constructor(requests: readonly GroupRequest[], options: GenerateOptions) {
    this.#requests = requests;
    this.#options = options;
    this.#total = requests.reduce((sum, { samples }) => sum + samples, 0);
    this.groups = new Promise((resolve) => (this.#resolve = resolve));
  }

  progress(tokens: number, finished: number): void {
    this.#options.onProgress?.({ tokens, finished, total: this.#total });
  }

  receive(index: number, group: GroupResult): void {
    this.#groups[index] = group;
    this.#options.onGroup?.(index, group);
  }

  /** No more groups will come. Those that have not are failed for `reason`; of an aborted request nobody hears of them. */
  end(reason: string): void {
    const failed = [...this.#requests.keys()].filter((index) => !this.#groups[index]);
    for (const index of failed) {
      this.#groups[index] = failedGroup(this.#requests[index]?.samples ?? 0, reason, this.#asked);
    }
    this.#resolve(this.#groups);
    if (this.#options.signal?.aborted) return;
    for (const index of failed) this.#options.onGroup?.(index, this.#groups[index] as GroupResult);
  }
}

function failedGroup(samples: number, error: string, began: number): GroupResult {
  return {
    policyVersion: -1,
    began,
    ended: millisecondsNow(),
    completions: Array.from({ length: samples }, () => ({
      tokens: [],
      logprobs: [],
      stopReason: 'error' as const,
      error,
    })),
  };
}
