/** pass@k: the chance that at least one of k answers to a problem is right (Chen et al. 2021, "Evaluating Large Language Models Trained on Code"). */
import { meanInterval95, type Interval } from '@rl-playground/base/intervals';
import { mean } from '@rl-playground/base/statistics';

/**
 * The pass@k of a problem without bias, from `correct` right ones among `draws` answers: 1 − C(draws − correct, k) / C(draws, k), as the
 * product that the paper computes.
 * @throws RangeError for more answers than there are.
 */
export function passAtK(draws: number, correct: number, k: number): number {
  if (k > draws || correct > draws)
    throw new RangeError(
      `pass@${k} of ${correct} right answers needs more than the ${draws} that were drawn.`,
    );
  let allWrong = 1;
  for (let i = draws - correct + 1; i <= draws; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

/** Its mean over the problems, for one k. */
export interface PassPoint {
  readonly k: number;
  readonly accuracy: number;
  /** 95 %, by problem. */
  readonly interval: Interval | null;
}

/** The part of an evaluation that pass@k is computed from. */
interface Drawn {
  readonly passAtK?: { readonly k: number };
  readonly samples: readonly { readonly correctDraws?: number }[];
}

/** The curve from pass@1, the mean accuracy at temperature 1, to pass@k for as many as were drawn; empty without draws. */
export function passCurve({ passAtK: drawn, samples }: Drawn): PassPoint[] {
  const draws = drawn?.k ?? 0;
  const correctPP = samples.flatMap(({ correctDraws }) => correctDraws ?? []);
  if (correctPP.length === 0) return [];
  return Array.from({ length: draws }, (_, i) => {
    const k = i + 1;
    const each = correctPP.map((correct) => passAtK(draws, correct, k));
    return { k, accuracy: mean(each), interval: meanInterval95(each) };
  });
}
