/** Schedules that finish a step before they begin the next, and the synchronous one among them. Both are on-policy. */
import type { Place, Prompt, RolloutGroup } from '../rollouts/rollout.ts';
import { ProblemQueue, requestOf } from './problems.ts';
import type { AskedAgain, GroupSource, SourceOptions, SourceParts, SourcePosition } from './types.ts';

export abstract class StepwiseSource implements GroupSource {
  protected readonly parts: SourceParts;
  readonly #queue: ProblemQueue;
  #step = 0;
  #places: readonly Place[] = [];
  #delivered = true;

  constructor(parts: SourceParts) {
    this.parts = parts;
    this.#queue = new ProblemQueue(parts.position);
  }

  abstract groups(step: number, policyVersion: number, options: SourceOptions): AsyncGenerator<RolloutGroup>;

  /** The prompts of a step: of the same problems however often it is asked for. */
  protected begin(step: number): Prompt[] {
    if (step !== this.#step) {
      if (!this.#delivered) this.#queue.putBack(this.#places);
      this.#places = this.#queue.take(this.parts.problems);
      this.#step = step;
    }
    this.#delivered = false;
    return this.#places.map(this.parts.promptAt);
  }

  /** All groups of the step were handed on. */
  protected end(): void {
    this.#delivered = true;
  }

  /** No answer is ever too old; and what broke leaves the step smaller. */
  takeAskedAgain(): AskedAgain {
    return { stale: 0, broken: 0 };
  }

  position(): SourcePosition {
    return this.#queue.position(this.#delivered ? [] : this.#places);
  }

  /** Nothing is under way between two steps. */
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

/** The generators answer all problems of a step, then the trainer learns from them. */
export class SyncSource extends StepwiseSource {
  /** Yields groups in the order of the problems, whichever generator was first: a run is the same for any number of generators. */
  async *groups(
    step: number,
    _policyVersion: number,
    { signal, onProgress }: SourceOptions,
  ): AsyncGenerator<RolloutGroup> {
    const prompts = this.begin(step);
    const requests = prompts.map((prompt) => requestOf(this.parts, prompt));
    const results = await this.parts.engine.sample(requests, this.parts.sampling, { signal, onProgress });
    for (const [i, prompt] of prompts.entries()) {
      const result = results[i];
      if (result === undefined) throw new Error(`Problem ${i + 1} of step ${step} has no group.`);
      yield { prompt, result, rollouts: [] };
    }
    this.end();
  }
}
