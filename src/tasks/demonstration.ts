/** Assembling the imperfect answers that a starter model is warmed up on. */
import { ANSWER_TAG } from './extractAnswer.ts';

export interface Imperfections {
  /** Share of demonstrations that end in the tag; the others end in `Answer: …`. */
  readonly tagRate: number;
  /** Share of demonstrations whose last number is wrong, whatever the steps before it say. */
  readonly wrongEndingRate: number;
}

/**
 * The worked steps, then the final number behind the tag or behind `Answer:`. The first draw decides the tag, the
 * second whether the number is wrong; `wrongAnswer` may draw further.
 */
export function demonstrate(
  steps: string,
  answer: string,
  wrongAnswer: (draw: () => number) => string,
  rates: Imperfections,
  draw: () => number,
): string {
  const ending = draw() < rates.tagRate ? ANSWER_TAG : 'Answer:';
  const wrong = draw() < rates.wrongEndingRate;
  return `${steps}\n${ending} ${wrong ? wrongAnswer(draw) : answer}`;
}

/** The worked steps and the right number behind the tag. */
export function taggedAnswer(steps: string, answer: string): string {
  return `${steps}\n${ANSWER_TAG} ${answer}`;
}
