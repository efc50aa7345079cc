/** The synchronous schedule: the generators answer all problems of a step, then the trainer learns from them. On-policy. */
import { requestOf } from './problems.ts';
import { StepwiseSource } from './stepwise.ts';
import type { AnsweredGroup, SourceOptions } from './types.ts';

export class SyncSource extends StepwiseSource {
  /** In the order of the problems, whichever generator was first: a run is the same for any number of them. */
  async *groups(
    step: number,
    _policyVersion: number,
    { signal, onProgress }: SourceOptions,
  ): AsyncGenerator<AnsweredGroup> {
    const { engine, ask, sampling } = this.parts;
    const asked = this.problems.begin(step).map(ask);
    const requests = asked.map((one) => requestOf(this.parts, one));
    const results = await engine.sample(requests, sampling, { signal, onProgress });
    for (const [i, one] of asked.entries()) {
      const result = results[i];
      if (result === undefined) throw new Error(`Problem ${i + 1} of step ${step} has no group.`);
      yield { asked: one, result };
    }
    this.problems.end();
  }
}
