/** Which problems of the run's stream are asked next, and what decides the draws of their answers. */
import type { GroupRequest } from '../../rollout/types.ts';
import type { Asked, Place, SourceParts, SourcePosition } from './types.ts';

/** Hands out places of the stream, those that have to be asked again first. */
export class ProblemQueue {
  #next: number;
  #again: Place[];

  constructor({ next, again }: SourcePosition) {
    this.#next = next;
    this.#again = [...again];
  }

  take(count: number): Place[] {
    const again = this.#again.splice(0, count);
    const fresh = Array.from({ length: count - again.length }, () => ({
      index: this.#next++,
      attempt: 0,
      level: null,
    }));
    return [...again, ...fresh];
  }

  /** The earliest problems of the stream go out first. */
  putBack(places: readonly Place[]): void {
    this.#again = inOrder([...this.#again, ...places.map(placeOf)]);
  }

  /** `taken`: places whose answers nobody has trained on yet. */
  position(taken: readonly Place[]): SourcePosition {
    return { next: this.#next, again: inOrder([...this.#again, ...taken.map(placeOf)]) };
  }
}

/** The places of one step at a time, under schedules that finish a step before they begin the next. */
export class StepProblems {
  readonly #queue: ProblemQueue;
  readonly #count: number;
  #step = 0;
  #places: Place[] = [];
  #delivered = true;

  constructor({ problems, position }: SourceParts) {
    this.#queue = new ProblemQueue(position);
    this.#count = problems;
  }

  /** The same places however often a step is asked for. */
  begin(step: number): readonly Place[] {
    if (step !== this.#step) {
      if (!this.#delivered) this.#queue.putBack(this.#places);
      this.#places = this.#queue.take(this.#count);
      this.#step = step;
    }
    this.#delivered = false;
    return this.#places;
  }

  /** All groups of the step were handed on. */
  end(): void {
    this.#delivered = true;
  }

  position(): SourcePosition {
    return this.#queue.position(this.#delivered ? [] : this.#places);
  }
}

/**
 * Draws depend on (seed, index, attempt) alone: with P problems in a step, index i of attempt a is problem (i mod P) + a·P of step
 * ⌊i / P⌋ + 1. Under the synchronous schedule that is the step itself and the problem's index in it.
 */
export function requestOf(
  { samples, seed, problems }: SourceParts,
  { index, attempt, promptIds }: Asked,
): GroupRequest {
  const step = Math.floor(index / problems) + 1;
  return { promptIds, samples, seed, step, problem: (index % problems) + attempt * problems };
}

/** Without what was asked there. */
function placeOf({ index, attempt, level }: Place): Place {
  return { index, attempt, level };
}

function inOrder(places: Place[]): Place[] {
  return places.toSorted((a, b) => a.index - b.index);
}
