/** One `generate` of a pool. Any free generator takes its next group. It keeps the groups that no generator has, the results, and the end. */
import {
  millisecondsNow,
  type GenerateOptions,
  type GroupRequest,
  type GroupResult,
  type SamplingSettings,
} from '@rl-playground/engine/parts';
import type { WeightsOnShelf } from './weightShelf.ts';

export class Call {
  readonly requests: readonly GroupRequest[];
  readonly sampling: SamplingSettings;
  /** The weights that were the newest when it was asked. */
  readonly weights: WeightsOnShelf;
  /** True if nobody waits for the call: it is only asked so that machines can show what they can do. */
  readonly isTrial: boolean;
  readonly #options: GenerateOptions;
  readonly #results = new Map<number, GroupResult>();
  /** Groups that nobody works on, by their index. */
  #waiting: number[];
  #over = false;
  #finished = 0;
  #tokens = 0;
  readonly #total: number;
  #resolve: (groups: GroupResult[]) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  readonly #listeners: (() => void)[] = [];
  /** The groups, in the order of the requests. */
  readonly groups: Promise<GroupResult[]>;

  constructor(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    weights: WeightsOnShelf,
    options: GenerateOptions,
    isTrial = false,
  ) {
    this.requests = requests;
    this.isTrial = isTrial;
    this.sampling = sampling;
    this.weights = weights;
    this.#options = options;
    this.#waiting = [...requests.keys()];
    this.#total = requests.reduce((sum, { samples }) => sum + samples, 0);
    this.groups = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The caller hears of it; a call that was ended before has no caller.
    this.groups.catch(() => undefined);
    if (requests.length === 0) this.#end(() => this.#resolve([]));
  }

  get over(): boolean {
    return this.#over;
  }

  get waiting(): number {
    return this.#over ? 0 : this.#waiting.length;
  }

  /** The number of groups without an answer, whether or not somebody works on them. */
  get open(): number {
    return this.#over ? 0 : this.requests.filter((_, index) => !this.#results.has(index)).length;
  }

  isAnswered(index: number): boolean {
    return this.#results.has(index);
  }

  /** Takes up to `count` groups that nobody works on, the first ones first. The caller owns them from now on. */
  take(count: number): number[] {
    if (this.#over) return [];
    return this.#waiting.splice(0, count);
  }

  /** Gives back groups that were taken and may never be answered. */
  giveBack(indices: readonly number[]): void {
    const open = indices.filter((index) => !this.isAnswered(index) && !this.#waiting.includes(index));
    this.#waiting = [...open, ...this.#waiting].toSorted((a, b) => a - b);
    this.rouse();
  }

  /** Resolves when groups have been given back, when others may take the waiting ones, or when the call is over. */
  news(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  /** Makes those who wait for news look for groups to take. */
  rouse(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Takes an answer. Only the first one of a group counts. */
  deliver(index: number, group: GroupResult): void {
    if (this.#over || this.isAnswered(index)) return;
    this.#results.set(index, group);
    this.#waiting = this.#waiting.filter((each) => each !== index);
    this.#count(group, 1);
    this.#options.onGroup?.(index, group);
    this.#options.onProgress?.({ tokens: this.#tokens, finished: this.#finished, total: this.#total });
    if (this.open === 0)
      this.#end(() => this.#resolve(this.requests.map((_, each) => this.#results.get(each) ?? group)));
  }

  /**
   * Takes back an answer that turned out to be wrong, if nobody counts on it: the group is asked again. A schedule that receives groups one
   * by one may already have learned from it.
   */
  takeBack(index: number): void {
    const group = this.#results.get(index);
    const { onGroup, mayTakeBack = onGroup === undefined } = this.#options;
    if (this.#over || group === undefined || !mayTakeBack) return;
    this.#results.delete(index);
    this.#count(group, -1);
    this.giveBack([index]);
  }

  #count({ completions }: GroupResult, sign: 1 | -1): void {
    this.#finished += sign * completions.length;
    this.#tokens += sign * completions.reduce((sum, { tokens }) => sum + tokens.length, 0);
  }

  fail(error: unknown): void {
    if (!this.#over) this.#end(() => this.#reject(error));
  }

  #end(tell: () => void): void {
    this.#over = true;
    tell();
    this.rouse();
  }

  /** A sound answer of a machine as a result, with times by this clock. */
  resultOf(completions: GroupResult['completions'], seconds: number): GroupResult {
    const ended = millisecondsNow();
    return { completions, policyVersion: this.weights.version, began: ended - 1000 * seconds, ended };
  }
}
