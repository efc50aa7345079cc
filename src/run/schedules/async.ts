/**
 * Asynchronous off-policy training, after the Tinker cookbook's `AsyncConfig(max_steps_off_policy)`: each generator works on a
 * chunk of groups of its own and begins the next with the newest weights, whatever the trainer does meanwhile.
 *
 * - The weights with which a rollout began count: age = current version when training on it starts − version that sampled it.
 * - K = `maxStepsOffPolicy` is the greatest age allowed. The answers of an older group are thrown away and its problem is asked
 *   again with other draws, before problems that are new.
 * - A step begins once it holds exactly P fresh groups. The stalest go first, so that fewer have to be thrown away later.
 * - At most one step's groups are under way or waiting beside the step that is trained on, with K = 0 none: that keeps whoever is
 *   slower, generators or trainer, always at work, and whatever runs further ahead would only grow old. This is admission control
 *   as proposed for the cookbook, whose workers run on and throw away what comes too late. K = 0 gives the synchronous schedule.
 *
 * A problem none of whose answers could be sampled is asked again too, with the same draws, so that a broken generator does not make the batch smaller
 * while others work. What nobody can answer is not asked for ever: `AnsweredGroups`.
 */
import { isBroken, type Prompt, type RolloutGroup } from '../rollouts/rollout.ts';
import { Chunks } from './chunks.ts';
import { ProblemQueue } from './problems.ts';
import { Signal } from './signal.ts';
import type { AskedAgain, GroupSource, SourceOptions, SourceParts, SourcePosition } from './types.ts';

/** The steps under way beside the current one. */
const STEPS_AHEAD = 1;
/** A generator that broke is asked once a step while others work: a problem rarely meets it more than once. */
const MOST_BREAKDOWNS = 3;

export class AsyncSource implements GroupSource {
  readonly #parts: SourceParts;
  readonly #queue: ProblemQueue;
  readonly #chunks: Chunks;
  readonly #news = new Signal();
  /** False while nothing may be asked: before the first step and after a stop. */
  #working = false;
  #failure: { readonly error: unknown } | null = null;
  readonly #waiting = new AnsweredGroups();
  /** The newest step, its weights, and its groups once they are chosen. */
  #step = 0;
  #version = -1;
  #batch: RolloutGroup[] = [];
  #delivered = false;
  #askedAgain = { stale: 0, broken: 0 };
  /** Problems whose answers were too old since the step began. */
  readonly #stale = new Set<number>();

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.#queue = new ProblemQueue(parts.position);
    this.#chunks = new Chunks(parts, this.#queue, {
      receive: (group) => {
        this.#waiting.add(group);
        this.#news.give();
      },
      ended: (error) => {
        if (error === undefined) this.#fill();
        else {
          this.#working = false;
          this.#failure ??= { error };
        }
        this.#news.give();
      },
    });
  }

  async *groups(
    step: number,
    policyVersion: number,
    { signal, onProgress }: SourceOptions,
  ): AsyncGenerator<RolloutGroup> {
    signal?.throwIfAborted();
    const stop = (): void => void this.stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      this.#begin(step, policyVersion);
      if (this.#batch.length === 0) this.#batch = await this.#choose({ signal, onProgress });
      for (const group of this.#batch) {
        signal?.throwIfAborted();
        yield group;
      }
      this.#delivered = true;
    } finally {
      signal?.removeEventListener('abort', stop);
      if (signal?.aborted) await this.stop();
    }
  }

  takeAskedAgain(): AskedAgain {
    const askedAgain = this.#askedAgain;
    this.#askedAgain = { stale: 0, broken: 0 };
    return askedAgain;
  }

  /** Answers are not kept: what no step has had yet is asked again. */
  position(): SourcePosition {
    const batch = this.#delivered ? [] : this.#batch.map(({ prompt }) => prompt);
    return this.#queue.position([...this.#chunks.open, ...this.#waiting.prompts, ...batch]);
  }

  async stop(): Promise<void> {
    this.#working = false;
    await this.#chunks.stop();
    this.#news.give();
  }

  /** A step that is asked for once more gets the same groups, if the weights are the same. */
  #begin(step: number, policyVersion: number): void {
    this.#working = true;
    this.#chunks.forgive();
    const finished = this.#delivered && step !== this.#step;
    this.#delivered = false;
    if (step === this.#step && policyVersion === this.#version) return;
    if (!finished) this.#waiting.add(...this.#batch);
    this.#batch = [];
    this.#step = step;
    this.#version = policyVersion;
    this.#stale.clear();
  }

  async #choose({ signal, onProgress }: SourceOptions): Promise<RolloutGroup[]> {
    const { problems, samples } = this.#parts;
    for (;;) {
      signal?.throwIfAborted();
      const failure = this.#failure;
      this.#failure = null;
      if (failure) throw failure.error;
      this.#requeueStale();
      this.#fill();
      const finished = Math.min(problems, this.#waiting.size) * samples;
      onProgress?.({ finished, total: problems * samples, tokens: this.#waiting.tokens });
      if (this.#waiting.size >= problems) return this.#waiting.take(problems);
      await this.#news.wait();
    }
  }

  #requeueStale(): void {
    const stale = this.#waiting.takeOlderThan(this.#version - this.#parts.maxStepsOffPolicy);
    this.#queue.putBack(stale.map(({ prompt }) => ({ ...prompt, attempt: prompt.attempt + 1 })));
    this.#askedAgain.stale += stale.length;
    for (const { prompt, result } of stale) {
      if (this.#stale.has(prompt.index))
        throw new Error(
          `Problem ${prompt.index + 1} was answered by weights of version ${result.policyVersion} although version ${this.#version} was the current one when it was asked.`,
        );
      this.#stale.add(prompt.index);
    }
  }

  /** Also while the trainer is at work. */
  #requeueBroken(): void {
    const broken = this.#waiting.takeBroken();
    this.#queue.putBack(broken.map(({ prompt }) => prompt));
    this.#askedAgain.broken += broken.length;
  }

  #fill(): void {
    if (!this.#working) return;
    this.#requeueBroken();
    const { problems, maxStepsOffPolicy } = this.#parts;
    const held = this.#chunks.open.length + this.#waiting.size + this.#batch.length;
    this.#chunks.fill(problems * (1 + Math.min(STEPS_AHEAD, maxStepsOffPolicy)) - held);
  }
}

/** Groups that were answered and wait for a step of training. */
class AnsweredGroups {
  #groups: RolloutGroup[] = [];
  /** The number of times that each problem broke which no step has had yet. */
  readonly #breakdowns = new Map<number, number>();

  get size(): number {
    return this.#groups.length;
  }

  get prompts(): Prompt[] {
    return this.#groups.map(({ prompt }) => prompt);
  }

  /** Tokens of all their completions. */
  get tokens(): number {
    return this.#groups
      .flatMap(({ result }) => result.completions)
      .reduce((sum, { tokens }) => sum + tokens.length, 0);
  }

  add(...groups: readonly RolloutGroup[]): void {
    this.#groups.push(...groups);
    for (const { prompt } of groups.filter(({ result }) => isBroken(result)))
      this.#breakdowns.set(prompt.index, this.#breakdownsOf(prompt.index) + 1);
  }

  /** Removes those that older weights than `version` answered. A broken group is of no age and stays. */
  takeOlderThan(version: number): RolloutGroup[] {
    return this.#takeWhere((group) => group.result.policyVersion < version && !isBroken(group.result));
  }

  /** Removes those without any answer. A problem that broke three times stays, for a step to go on without it. */
  takeBroken(): RolloutGroup[] {
    return this.#takeWhere(
      (group) => isBroken(group.result) && this.#breakdownsOf(group.prompt.index) < MOST_BREAKDOWNS,
    );
  }

  /** Removes the `count` stalest, those of one version in the order of the stream. */
  take(count: number): RolloutGroup[] {
    this.#groups.sort(
      (a, b) => a.result.policyVersion - b.result.policyVersion || a.prompt.index - b.prompt.index,
    );
    const taken = this.#groups.splice(0, count);
    for (const { prompt } of taken) this.#breakdowns.delete(prompt.index);
    return taken;
  }

  #breakdownsOf(index: number): number {
    return this.#breakdowns.get(index) ?? 0;
  }

  #takeWhere(wanted: (group: RolloutGroup) => boolean): RolloutGroup[] {
    const taken = this.#groups.filter(wanted);
    this.#groups = this.#groups.filter((group) => !taken.includes(group));
    return taken;
  }
}
