/** The synchronous schedule: the generators answer all problems of a step, then the trainer learns from them. On-policy. */
import { requestOf, StepProblems } from './problems.ts';
import type { AnsweredGroup, GroupSource, SourceOptions, SourceParts, SourcePosition } from './types.ts';

export class SyncSource implements GroupSource {
  readonly #parts: SourceParts;
  readonly #problems: StepProblems;

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.#problems = new StepProblems(parts);
  }

  /** In the order of the problems, whichever generator was first: a run is the same for any number of them. */
  async *groups(
    step: number,
    _policyVersion: number,
    { signal, onProgress }: SourceOptions,
  ): AsyncGenerator<AnsweredGroup> {
    const { pool, ask, sampling } = this.#parts;
    const asked = this.#problems.begin(step).map(({ index, attempt }) => ask(index, attempt));
    const requests = asked.map((one) => requestOf(this.#parts, one));
    const results = await pool.generate(requests, sampling, { signal, onProgress });
    for (const [i, one] of asked.entries()) {
      const result = results[i];
      if (result === undefined) throw new Error(`Problem ${i + 1} of step ${step} has no group.`);
      yield { asked: one, result };
    }
    this.#problems.end();
  }

  takeRequeued(): number {
    return 0;
  }

  position(): SourcePosition {
    return this.#problems.position();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
