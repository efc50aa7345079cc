/** Turns what the training loop reports into speed and time left. */
import type { LoopProgress } from '../rl/loop/learn.ts';
import type { Progress } from './types.ts';

const LABELS: Readonly<Record<LoopProgress['activity'], string>> = {
  sampling: 'Generators are writing answers',
  training: 'Trainer is updating the weights',
  'handing weights over': 'New weights go to the generators',
  evaluating: 'Evaluating on held-out problems',
};

export class ProgressMeter {
  readonly #now: () => number;
  #activity: LoopProgress['activity'] | null = null;
  #began = 0;

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** `secondsPerStep` and `stepsLeft` give the time left of the run; null where no step has been timed yet. */
  progress(report: LoopProgress, secondsPerStep: number | null, stepsLeft: number): Progress {
    if (report.activity !== this.#activity || report.done === 0) {
      this.#activity = report.activity;
      this.#began = this.#now();
    }
    const seconds = (this.#now() - this.#began) / 1000;
    return {
      label: LABELS[report.activity],
      done: report.done,
      total: report.total,
      tokensPerSecond: seconds > 0 && report.tokens > 0 ? report.tokens / seconds : null,
      secondsLeft: secondsPerStep === null ? null : secondsPerStep * stepsLeft,
    };
  }
}
