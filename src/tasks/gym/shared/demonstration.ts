/** Assembling the imperfect answers in tags that a starter model is warmed up on. */

export interface Imperfections {
  /** Share of demonstrations with the answer between tags; the others end in `Answer: …`. */
  readonly tagRate: number;
  /** Share of demonstrations whose answer is wrong, whatever the steps before it say. */
  readonly wrongEndingRate: number;
}

/** Most keep the form, so that a rise of accuracy is one of right answers. */
const USUAL: Imperfections = { tagRate: 0.85, wrongEndingRate: 0.4 };

/**
 * The worked steps, then the answer between tags or behind `Answer:`. The first draw decides the tags, the second whether the
 * answer is wrong; `wrongAnswer` may draw further.
 */
export function demonstrateInTags(
  steps: string,
  answer: string,
  wrongAnswer: (draw: () => number) => string,
  rates: Partial<Imperfections>,
  draw: () => number,
): string {
  const { tagRate, wrongEndingRate } = { ...USUAL, ...rates };
  const tagged = draw() < tagRate;
  const wrong = draw() < wrongEndingRate;
  const given = wrong ? wrongAnswer(draw) : answer;
  return `${steps}${steps === '' ? '' : '\n'}${tagged ? `<answer>${given}</answer>` : `Answer: ${given}`}`;
}
