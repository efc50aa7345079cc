/** What schedules have in common that finish a step before they begin the next. */
import { StepProblems } from './problems.ts';
import type {
  AnsweredGroup,
  AskedAgain,
  GroupSource,
  SourceOptions,
  SourceParts,
  SourcePosition,
} from './types.ts';

export abstract class StepwiseSource implements GroupSource {
  protected readonly parts: SourceParts;
  protected readonly problems: StepProblems;

  constructor(parts: SourceParts) {
    this.parts = parts;
    this.problems = new StepProblems(parts);
  }

  abstract groups(step: number, policyVersion: number, options: SourceOptions): AsyncGenerator<AnsweredGroup>;

  /** On-policy: no answer is ever too old; and what broke leaves the step smaller. */
  takeAskedAgain(): AskedAgain {
    return { stale: 0, broken: 0 };
  }

  position(): SourcePosition {
    return this.problems.position();
  }

  /** Nothing is under way between two steps. */
  stop(): Promise<void> {
    return Promise.resolve();
  }
}
