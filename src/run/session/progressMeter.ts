/** Turns reports of the training loop into words, a speed and the time that is left. */
import type { LoopActivity, LoopProgress } from '../loop/learn.ts';
import type { Progress } from './types.ts';

const LABELS: Readonly<Record<LoopActivity, string>> = {
  sampling: 'Generators are writing answers',
  training: 'Trainer is updating the weights',
  'handing weights over': 'Sending new weights to the generators',
  evaluating: 'Evaluating on held-out problems',
};

/** The speed is a mean over so many milliseconds. */
const WINDOW = 5000;
/** No speed is shown before so many milliseconds: the first tokens after no time at all would make any number. */
const LEAST = 250;

/** The tokens per second over the last five seconds, written or trained on; pauses count as time. */
export class TokenRate {
  readonly #now: () => number;
  /** The counts of tokens by time, the oldest first: the last one from before the window, then all inside it. */
  #counts: { readonly at: number; readonly total: number }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins to count anew, after other work or a rest. */
  begin(): void {
    this.#counts = [{ at: this.#now(), total: 0 }];
  }

  add(tokens: number): void {
    if (this.#counts.length === 0) this.begin();
    const at = this.#now();
    this.#counts.push({ at, total: (this.#counts.at(-1)?.total ?? 0) + tokens });
    const first = this.#counts.findLastIndex((count) => count.at <= at - WINDOW);
    if (first > 0) this.#counts.splice(0, first);
  }

  /** The speed; null while too little was counted for one. */
  perSecond(): number | null {
    const [first] = this.#counts;
    const last = this.#counts.at(-1);
    if (first === undefined || last === undefined) return null;
    const milliseconds = this.#now() - first.at;
    const tokens = last.total - first.total;
    return milliseconds < LEAST || tokens === 0 ? null : (1000 * tokens) / milliseconds;
  }
}

export class ProgressMeter {
  readonly rate: TokenRate;
  /** The last report of each activity. Under some schedules several go on at once. */
  readonly #reported = new Map<LoopActivity, Pick<LoopProgress, 'done' | 'tokens'>>();

  readonly #now: () => number;
  #evaluationBegan = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.rate = new TokenRate(now);
  }

  begin(): void {
    this.#reported.clear();
    this.rate.begin();
  }

  #evaluationLeft({ activity, done, total }: LoopProgress): number | null {
    if (activity !== 'evaluating' || done < total / 10) return null;
    return ((this.#now() - this.#evaluationBegan) / 1000 / done) * (total - done);
  }

  /**
   * `secondsPerStep` and `stepsLeft` give the time left of the run. Where no step has been timed yet, an evaluation says its own,
   * once a tenth of it is done.
   */
  progress(report: LoopProgress, secondsPerStep: number | null, stepsLeft: number): Progress {
    const { activity, done, total, tokens } = report;
    const before = this.#reported.get(activity);
    const goesOn = before !== undefined && done >= before.done && tokens >= before.tokens;
    if (!goesOn && activity === 'evaluating') this.#evaluationBegan = this.#now();
    this.#reported.set(activity, { done, tokens });
    this.rate.add(goesOn ? tokens - before.tokens : tokens);
    return {
      label: LABELS[activity],
      done,
      total,
      tokensPerSecond: this.rate.perSecond(),
      secondsLeft: secondsPerStep === null ? this.#evaluationLeft(report) : secondsPerStep * stepsLeft,
    };
  }
}
