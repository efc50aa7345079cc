/**
 * Follows one held-out problem through a run: a greedy answer to it by the weights between two steps. It changes no figure of the run,
 * and takes at most a thirtieth of its time.
 */
import { Observed } from '@rl-playground/base/observed';
import { messageOf } from '@rl-playground/base/errors';
import type { EvalSample } from '../loop/evaluate.ts';
import type { Session } from './session.ts';
import type { RunListener } from './types.ts';

/** The time that passes between two answers, in times that the last one took. */
const PAUSE = 29;

/** An answer that stayed the same over some steps. */
export interface WatchedAnswer {
  readonly from: number;
  readonly to: number;
  readonly sample: EvalSample;
}

export interface Watched {
  /** The place of the problem in the run's evaluations; null while none is followed. */
  readonly place: number | null;
  readonly answers: readonly WatchedAnswer[];
  /** The reason why the problem can't be followed. */
  readonly problem: string | null;
}

const NOTHING = { answers: [], problem: null } as const;

export class ProblemWatch extends Observed<Watched> implements RunListener {
  #session: Session | null = null;
  /** The time of the next answer, by `performance.now`. */
  #due = 0;

  readonly #pause: number;

  constructor({ pause = PAUSE } = {}) {
    super({ place: null, ...NOTHING });
    this.#pause = pause;
  }

  /** Follows another problem from the next step on, or none. */
  follow(place: number | null): void {
    if (place === this.snapshot().place) return;
    this.update({ place, ...NOTHING });
    this.#due = 0;
  }

  async opened(session: Session, resumes: boolean, signal: AbortSignal): Promise<void> {
    this.#session = session;
    this.#due = 0;
    if (!resumes) this.update(NOTHING);
    if (session.step === 0) await this.betweenSteps(signal);
  }

  async betweenSteps(signal: AbortSignal): Promise<void> {
    const { place, problem } = this.snapshot();
    const session = this.#session;
    const began = performance.now();
    if (signal.aborted || session === null || session.inSft) return;
    if (place === null || problem !== null || began < this.#due) return;
    try {
      const sample = await session.greedyAnswer(place, signal);
      if (sample !== null) this.#add(session.step, sample);
    } catch (error) {
      if (!signal.aborted) this.update({ problem: messageOf(error) });
    }
    const now = performance.now();
    this.#due = now + this.#pause * (now - began);
  }

  discarded(): void {
    this.#session = null;
    this.update(NOTHING);
  }

  #add(step: number, sample: EvalSample): void {
    const { answers } = this.snapshot();
    const last = answers.at(-1);
    const said =
      last?.sample.text === sample.text
        ? [...answers.slice(0, -1), { ...last, to: step }]
        : [...answers, { from: step, to: step, sample }];
    this.update({ answers: said });
  }
}
