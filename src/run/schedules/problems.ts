/** The order in which problems of the run's stream are asked, and the keys of the draws of their answers. */
import type { GroupRequest } from '@rl-playground/engine/parts';
import type { Place, Prompt } from '../rollouts/rollout.ts';
import type { SourceParts, SourcePosition } from './types.ts';

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

/**
 * Draws depend on (seed, index, attempt) alone: with P problems in a step, index i of attempt a is problem (i mod P) + a·P of step
 * ⌊i / P⌋ + 1. Under the synchronous schedule that is the step itself and the problem's index in it.
 */
export function requestOf(
  { samples, seed, problems }: SourceParts,
  { index, attempt, promptIds }: Prompt,
): GroupRequest {
  const step = Math.floor(index / problems) + 1;
  return { promptIds, samples, seed, step, problem: (index % problems) + attempt * problems };
}

/** The place that a prompt was made of. */
function placeOf({ index, attempt, level }: Place): Place {
  return { index, attempt, level };
}

function inOrder(places: Place[]): Place[] {
  return places.toSorted((a, b) => a.index - b.index);
}
